import type { ProviderConfig } from "../../agent/providers/index.ts";
import type { RateLimiter } from "../../agent/providers/shared/rateLimiter.ts";
import { refusal } from "../../agent/providers/shared/routeStream.ts";
import { assertNever } from "../../agent/vocabulary/errors.ts";
import { deferredStream } from "../../agent/vocabulary/eventBatches.ts";
import type { ProviderErrorKind } from "../../agent/vocabulary/messages.ts";
import type { Model, StreamEvent, StreamFn, StreamOptions } from "../../agent/vocabulary/model.ts";
import type { Credentials } from "./keys.ts";
import { rateLimited, rateLimiterByProvider } from "./limits/rateLimiter.ts";
import {
  goneEditorModelProblem,
  type ModelProblem,
  missingHeaderProblem,
  missingKeyProblem,
  unknownProviderProblem,
} from "./problems.ts";
import type { ModelsSettings } from "./providerSettings.ts";
import { demoProviderId, editorProviderId, findProvider, listProviders, type Provider } from "./providers.ts";

export interface StreamParts {
  settings(): ModelsSettings;
  keys: Credentials;
  demo: StreamFn;
  /** Models that the editor has. Default: none. */
  editor?(limiter: RateLimiter): StreamFn;
  /** Whether answers of the user may keep an agent waiting: then what a provider has cached has to last. */
  mayWait?(): boolean;
}

/**
 * One `StreamFn` for all models: the demo, or the provider as the settings have it at the time of the request. Keys are
 * read for each request, so that a new one counts at once; adapters load with the first request that needs them.
 */
export function createStreamFn(parts: StreamParts): StreamFn {
  const { settings, keys, demo, editor = () => noEditor, mayWait = () => false } = parts;
  const adapters = new Map<string, Promise<StreamFn>>();
  const limiterFor = rateLimiterByProvider(settings);
  const pacedDemo = rateLimited(demo, limiterFor(demoProviderId));
  const ofEditor = editor(limiterFor(editorProviderId));

  /** One adapter per way of reaching a provider, since it keeps its connections. */
  function adapterFor({ id, wire, baseUrl }: Provider): Promise<StreamFn> {
    if (wire === "vscode") return Promise.resolve(ofEditor);
    const key = JSON.stringify([id, wire, baseUrl]);
    const limiter = limiterFor(id);
    const adapter = adapters.get(key) ?? loadAdapter(wire, baseUrl === undefined ? { limiter } : { limiter, baseUrl });
    adapters.set(key, adapter);
    return adapter;
  }

  async function answerOf(...[model, request, options]: Parameters<StreamFn>): Promise<AsyncIterable<StreamEvent>> {
    if (model.provider === demoProviderId) return pacedDemo(model, request, options);
    const provider = findProvider(model.provider, settings());
    if (provider === undefined) {
      const known = listProviders(settings()).map((candidate) => candidate.id);
      return only(refused(model, unknownProviderProblem(model.provider, known), "not_found"));
    }
    const apiKey = options.apiKey ?? (await keys.get(provider));
    if (apiKey === undefined && provider.needsKey) return only(refused(model, missingKeyProblem(provider), "auth"));
    const configured = await keys.headers(provider);
    if (!configured.ok) return only(refused(model, missingHeaderProblem(provider, configured), "auth"));
    const adapter = await adapterFor(provider);
    const headers = { ...configured.headers, ...options.headers };
    const cached: StreamOptions = mayWait() ? { cacheLifetime: "long" } : {};
    return adapter(model, request, { ...cached, ...options, ...(apiKey === undefined ? {} : { apiKey }), headers });
  }

  return (...asked) => deferredStream(() => answerOf(...asked));
}

function refused(model: Model, { text }: ModelProblem, errorKind: ProviderErrorKind): StreamEvent {
  return refusal(model, { errorMessage: text, errorKind });
}

async function* only(event: StreamEvent): AsyncGenerator<StreamEvent> {
  yield event;
}

type HttpWire = Exclude<Provider["wire"], "vscode">;

/** Loads what the requests of a provider go through, which the first of them waits for otherwise. */
export async function loadWire({ wire }: Pick<Provider, "wire">): Promise<void> {
  if (wire === "vscode") return;
  const sdk =
    wire === "anthropic"
      ? import("../../agent/providers/anthropic/anthropicConnection.ts")
      : import("../../agent/providers/shared/openai.ts").then(({ loadOpenai }) => loadOpenai());
  await Promise.all([import("../../agent/providers/index.ts"), sdk]);
}

async function loadAdapter(wire: HttpWire, config: ProviderConfig): Promise<StreamFn> {
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

/** Outside an editor there are no models of one. */
const noEditor: StreamFn = async function* (model) {
  yield refused(model, goneEditorModelProblem(model.id), "not_found");
};
