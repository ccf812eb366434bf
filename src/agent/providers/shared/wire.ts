import type { Model, ModelRequest, StreamOptions } from "../../vocabulary/model.ts";
import type { Completion, MessageDraft } from "./draft.ts";
import type { ProviderFailure } from "./failure.ts";
import { guardedFetch } from "./guardedFetch.ts";
import type { JsonCache } from "./json.ts";
import type { OptionalField, OptionalFields } from "./optionalFields.ts";

/** One way of talking to a model: how a request is written, sent through its SDK, and read back. */
export interface Wire {
  readonly defaultBaseUrl: string;
  /** Loads the SDK at first use. */
  connect(connection: Connection): Promise<Post>;
  /** The request body as JSON text. */
  writeBody(model: Model, request: ModelRequest, options: StreamOptions, context: BodyContext): string;
  /** What the model and the options ask for in headers. */
  writeHeaders?(model: Model, options: StreamOptions, fields: OptionalFields): Record<string, string>;
  /** What it may leave out where a provider refuses it. */
  readonly optionalFields: readonly OptionalField[];
  createReader(draft: MessageDraft, request: ModelRequest): WireReader;
}

export interface Connection {
  baseUrl: string;
  /** Absent for a server that asks for none. */
  apiKey?: string;
  /** For the SDK's own clock, which starts after ours and knows only the time until the headers. */
  timeoutMs: number;
  fetch: typeof fetch;
}

export interface BodyContext {
  cache: JsonCache;
  baseUrl: string;
  fields: OptionalFields;
}

/** Names features of Anthropic's API that are not in it for all, parted by commas. */
export const betaHeader = "anthropic-beta";

/** Sends one request through the SDK. Rejects with the SDK's error for a status that is not a success. */
export type Post = (
  json: string,
  options: { headers: Record<string, string>; signal: AbortSignal },
) => Promise<Response>;

/** One server-sent event. `event` is null if the server named none. */
export interface SseFrame {
  event: string | null;
  data: string;
}

/** Reads the frames of one stream into its draft. What it throws counts as a broken stream. */
export interface WireReader {
  /** A failure that the frame reports ends the stream. */
  read(frame: SseFrame): ProviderFailure | undefined;
  /** True once the format's finish marker has come. */
  readonly isComplete: boolean;
  /** True if the answer had parts of a kind that we do not show. */
  readonly hasSkipped: boolean;
  /** How the complete answer ended. */
  finish(): Completion | ProviderFailure;
}

/** Loads an SDK: applications install only those of the wires that they use. */
export async function loadSdk<Sdk>(name: string, load: () => Promise<Sdk>): Promise<Sdk> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    throw new Error(`The package ${name} is not installed: npm install ${name}`);
  }
}

/** The options of each SDK: everything that it would else look for in the environment, and to leave waiting to us. */
export function clientOptions({ baseUrl, apiKey, timeoutMs, fetch }: Connection) {
  return {
    apiKey: apiKey ?? "none",
    baseURL: baseUrl,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: "off" as const,
    fetch: guardedFetch(fetch),
    // Where no key is set, none is sent either.
    ...(apiKey === undefined ? { defaultHeaders: { authorization: null, "x-api-key": null } } : {}),
  };
}

/**
 * Makes an SDK's client as if nothing were in the environment. The SDKs read headers from there (`OPENAI_CUSTOM_HEADERS`
 * and others) that they send to every server, and have no option against it; they read nothing later.
 */
export function withoutEnvironment<Client>(prefix: string, create: () => Client): Client {
  // A browser has no environment.
  if (typeof process === "undefined") return create();
  const names = Object.keys(process.env).filter((name) => name.toUpperCase().startsWith(prefix));
  const hidden = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) delete process.env[name];
  try {
    return create();
  } finally {
    for (const [name, value] of hidden) process.env[name] = value;
  }
}
