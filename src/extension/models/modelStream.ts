import { assertNever } from "../../agent/errors.ts";
import type { AssistantMessage, ProviderErrorKind } from "../../agent/messages.ts";
import type { Model, StreamEvent, StreamFn } from "../../agent/model.ts";
import type { ProviderConfig } from "../../agent/providers/index.ts";
import type { ArborSettings } from "../settings/settings.ts";
import type { Keys } from "./keys.ts";
import { type ModelProblem, missingKeyProblem, unknownProviderProblem } from "./problems.ts";
import { demoProviderId, findProvider, listProviders, type Provider } from "./providers.ts";

/**
 * One `StreamFn` for all models: the demo, or the provider as the settings have it at the time of the request. Keys are
 * read for each request, so that a new one counts at once; adapters load with the first request that needs them.
 */
export function createStreamFn(settings: () => ArborSettings, keys: Pick<Keys, "get">, demo: StreamFn): StreamFn {
  const adapters = new Map<string, Promise<StreamFn>>();

  /** One adapter per way of reaching a provider, since it keeps its connections. */
  function adapterFor({ wire, baseUrl }: Provider): Promise<StreamFn> {
    const key = JSON.stringify([wire, baseUrl]);
    const adapter = adapters.get(key) ?? loadAdapter(wire, baseUrl === undefined ? {} : { baseUrl });
    adapters.set(key, adapter);
    return adapter;
  }

  return async function* stream(model, request, options) {
    if (model.provider === demoProviderId) {
      yield* demo(model, request, options);
      return;
    }
    const provider = findProvider(model.provider, settings());
    if (provider === undefined) {
      const known = listProviders(settings()).map((candidate) => candidate.id);
      yield refusal(model, unknownProviderProblem(model.provider, known), "not_found");
      return;
    }
    const apiKey = options.apiKey ?? (await keys.get(provider));
    if (apiKey === undefined && provider.needsKey) {
      yield refusal(model, missingKeyProblem(provider), "auth");
      return;
    }
    const adapter = await adapterFor(provider);
    yield* adapter(model, request, apiKey === undefined ? options : { ...options, apiKey });
  };
}

async function loadAdapter(wire: Provider["wire"], config: ProviderConfig): Promise<StreamFn> {
  const providers = await import("../../agent/providers/index.ts");
  switch (wire) {
    case "anthropic":
      return providers.anthropicStream(config);
    case "openai":
      return providers.openaiStream(config);
    case "openai-chat":
      return providers.openaiChatStream(config);
    default:
      return assertNever(wire);
  }
}

/** A request that is not sent, told like one that failed. */
function refusal(model: Model, problem: ModelProblem, errorKind: ProviderErrorKind): StreamEvent {
  const message: AssistantMessage = {
    role: "assistant",
    id: crypto.randomUUID(),
    content: [],
    model: model.id,
    provider: model.provider,
    stopReason: "error",
    errorMessage: problem.text,
    errorKind,
    timestamp: Date.now(),
  };
  return { type: "error", message };
}
