import { t } from "@vscode/l10n";
import * as z from "zod";
import { modelName, resolveModel } from "../catalog.ts";
import { foreignProviderId } from "../providers.ts";
import type { ItemSources, Picked } from "./modelItems.ts";
import type { ModelSetUp } from "./modelSetUp.ts";

export type ModelOutcome =
  | { type: "selected"; model: string }
  | { type: "canceled" }
  /** Something else has to be done first. */
  | { type: "other"; picked: Exclude<Picked, { type: "model" | "inherit" }> }
  | { type: "refused"; text: string };

/** Which of the two models is chosen: of the main agent, or of sub-agents. */
export interface ModelRole {
  command: string;
  title: string;
  /** "" for a sub-agent that uses the model of the agent that delegates. */
  current(): string;
  mayInherit: boolean;
  /** An agent of another program can take its place. */
  mayBeForeign: boolean;
  /** Writes the setting. */
  save(model: string): Promise<void>;
}

/** Makes a model the one in use: the one named by `input` (a command's argument), or one that the user picks. */
export async function selectModel(input: unknown, role: ModelRole, context: ModelSetUp): Promise<ModelOutcome> {
  const given = z.string().optional().safeParse(input);
  if (!given.success) {
    return {
      type: "refused",
      text: t("{0} takes provider/model-id, or no argument to choose from a list.", role.command),
    };
  }
  const picked = given.data === undefined ? await pick(role, context) : { type: "model" as const, name: given.data };
  if (picked === undefined) return { type: "canceled" };
  if (picked.type === "inherit") return saved("", role);
  if (picked.type !== "model") return { type: "other", picked };
  if (picked.name.trim() === "" && role.mayInherit) return saved("", role);
  return useModel(picked.name.trim(), role, context);
}

/** Saves a model, and remembers that it was chosen. */
export async function useModel(name: string, role: ModelRole, context: ModelSetUp): Promise<ModelOutcome> {
  const { settings, reported, preferences } = context;
  const resolved = resolveModel(name, settings(), reported);
  if (!resolved.ok) return { type: "refused", text: resolved.problem.text };
  if (resolved.model.provider === foreignProviderId && !role.mayBeForeign) {
    const { id } = resolved.model;
    return { type: "refused", text: t("{0} is not a model: agents delegate to it by its name.", id) };
  }
  const chosen = modelName(resolved.model);
  // What is sent next waits for settings that are being written: nothing comes before that.
  const outcome = await saved(chosen, role);
  await preferences.remember(chosen);
  return outcome;
}

async function saved(model: string, role: ModelRole): Promise<ModelOutcome> {
  await role.save(model);
  return { type: "selected", model };
}

function pick(role: ModelRole, context: ModelSetUp): Promise<Picked | undefined> {
  const { settings, keys, reported, preferences, prompts } = context;
  return prompts.pickModel({
    title: role.title,
    items: async () => {
      const { modelItems } = await import("./modelItems.ts");
      const sources: ItemSources = {
        ...{ settings: settings(), keys, reported, current: role.current(), mayInherit: role.mayInherit },
        mayBeForeign: role.mayBeForeign,
        ...{ favourites: preferences.favourites(), recent: preferences.recent() },
      };
      return modelItems(sources);
    },
    refresh: (force) => context.refreshAll(force),
    toggleFavourite: (name) => preferences.toggleFavourite(name),
  });
}
