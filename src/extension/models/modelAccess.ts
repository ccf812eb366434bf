import type { Model, StreamFn } from "../../agent/index.ts";
import type { RateLimiter } from "../../agent/providers/shared/rateLimiter.ts";
import type { ModelChoice } from "../../protocol/messages.ts";
import { UserError } from "../common/userError.ts";
import { demoStream, type Pace } from "../demo/demoModel.ts";
import { describeModel, modelName, resolveModel, usesPatches } from "./catalog.ts";
import type { ReportedModels } from "./facts.ts";
import type { Credentials } from "./keys.ts";
import { createStreamFn, loadWire } from "./modelStream.ts";
import type { ModelsSettings } from "./providerSettings.ts";
import { findProvider, foreignProviderId } from "./providers.ts";

export interface ModelAccess {
  streamFn: StreamFn;
  /** Throws a `UserError` when the setting names no model. */
  mainModel(): Model;
  /** Undefined: the model of the agent that delegates. */
  subAgentModel(): Model | undefined;
  /** A model by its name; undefined for one that the settings know no provider of. */
  named(name: string): Model | undefined;
  /** Whether a model changes files by patches instead of replacing text. */
  usesPatches(model: Model): boolean;
  /** What is known of a model, as the panel shows it. */
  describe(model: Model): ModelChoice;
}

export interface ModelAccessOptions {
  settings(): ModelsSettings;
  keys: Credentials;
  pace: Pace;
  /** What providers said of their models. */
  reported?: ReportedModels;
  /** Reaches the models that the editor has. */
  editor?(limiter: RateLimiter): StreamFn;
  /** Whether answers of the user may keep an agent waiting. */
  mayWait?(): boolean;
}

/** An agent of another program is given work by its own name; it is no model of an agent of ours. */
function asSubAgent(model: Model): Model | undefined {
  return model.provider === foreignProviderId ? undefined : model;
}

/** How agents reach their models, as the settings say at the time of each request. */
export function createModelAccess(options: ModelAccessOptions): ModelAccess & {
  /** Loads what requests to the main model go through. What fails here fails again in the request, which says so. */
  prepare(): Promise<void>;
} {
  const { settings, keys, pace, reported, editor, mayWait } = options;
  const modelOf = (name: string): Model => {
    const resolved = resolveModel(name, settings(), reported);
    if (!resolved.ok) throw new UserError(resolved.problem.text);
    return resolved.model;
  };
  return {
    streamFn: createStreamFn({
      settings,
      keys,
      demo: demoStream(pace),
      ...(editor && { editor }),
      ...(mayWait && { mayWait }),
    }),
    async prepare() {
      const resolved = resolveModel(settings().model, settings(), reported);
      const provider = resolved.ok ? findProvider(resolved.model.provider, settings()) : undefined;
      if (provider === undefined || provider.wire === "vscode") return;
      // The editor's `fetch` reads the system's certificates by its first call. This one reaches no network.
      const fetched = fetch("data:,").catch(() => undefined);
      await Promise.all([loadWire(provider).catch(() => undefined), fetched]);
    },
    mainModel: () => modelOf(settings().model),
    subAgentModel: () => {
      const name = settings().subAgentModel;
      return name === "" ? undefined : asSubAgent(modelOf(name));
    },
    named: (name) => {
      const resolved = resolveModel(name, settings(), reported);
      return resolved.ok ? asSubAgent(resolved.model) : undefined;
    },
    usesPatches: (model) => usesPatches(model, settings(), reported),
    describe: (model) => describeModel(modelName(model), settings(), reported),
  };
}
