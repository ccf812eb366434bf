import type { Model, StreamFn } from "../../agent/index.ts";
import type { ArborSettings } from "../settings/settings.ts";
import { UserError } from "../userError.ts";
import { resolveModel, usesPatches } from "./catalog.ts";
import { demoStream, type Pace } from "./demo/demoStream.ts";
import type { Keys } from "./keys.ts";
import { limitParallel } from "./limitParallel.ts";
import { createStreamFn } from "./modelStream.ts";

export interface ModelAccess {
  streamFn: StreamFn;
  /** Throws a `UserError` when the setting names no model. */
  mainModel(): Model;
  /** Undefined: the model of the agent that delegates. */
  subAgentModel(): Model | undefined;
  /** Whether a model changes files by patches instead of replacing text. */
  usesPatches(model: Model): boolean;
}

/** How agents reach their models, as the settings say at the time of each request. */
export function createModelAccess(settings: () => ArborSettings, keys: Pick<Keys, "get">, pace: Pace): ModelAccess {
  const stream = createStreamFn(settings, keys, demoStream(pace));
  return {
    streamFn: limitParallel(stream, () => settings().limits.maxParallelAgents),
    mainModel: () => modelOf(settings().model, settings()),
    subAgentModel: () => {
      const name = settings().subAgentModel;
      return name === "" ? undefined : modelOf(name, settings());
    },
    usesPatches: (model) => usesPatches(model, settings()),
  };
}

function modelOf(name: string, settings: ArborSettings): Model {
  const resolved = resolveModel(name, settings);
  if (!resolved.ok) throw new UserError(resolved.problem.text);
  return resolved.model;
}
