import * as z from "zod";
import type { ModelChoice } from "../../protocol/messages.ts";
import type { ArborSettings } from "../settings/settings.ts";
import { modelName, resolveModel } from "./catalog.ts";
import { listModelChoices } from "./choices.ts";
import type { Keys } from "./keys.ts";

/** How the user is asked: one of the choices, or a name that they typed. */
export interface ModelPrompts {
  pickModel(choices: readonly ModelChoice[], current: string): Promise<string | undefined>;
}

export type ModelOutcome =
  | { type: "selected"; model: string }
  | { type: "canceled" }
  | { type: "refused"; text: string };

interface ModelDependencies {
  settings: ArborSettings;
  keys: Pick<Keys, "get">;
  prompts: ModelPrompts;
  /** Writes the setting `arbor.model`. */
  save(model: string): Promise<void>;
}

/** Makes a model the main one: the one named by `input` (a command's argument), or one that the user picks. */
export async function selectModel(input: unknown, dependencies: ModelDependencies): Promise<ModelOutcome> {
  const { settings, keys, prompts, save } = dependencies;
  const given = z.string().optional().safeParse(input);
  if (!given.success)
    return { type: "refused", text: "arbor.selectModel takes provider/model-id, or nothing to be asked." };
  const name = given.data ?? (await prompts.pickModel(await listModelChoices({ settings, keys }), settings.model));
  if (name === undefined) return { type: "canceled" };
  const resolved = resolveModel(name.trim(), settings);
  if (!resolved.ok) return { type: "refused", text: resolved.problem.text };
  const model = modelName(resolved.model);
  await save(model);
  return { type: "selected", model };
}
