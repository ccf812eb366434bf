import { assertNever, type ErrorFacts } from "../../vocabulary/errors.ts";
import type { ProviderErrorKind } from "../../vocabulary/messages.ts";
import type { Model } from "../../vocabulary/model.ts";

/** What went wrong, as far as it was seen. The sentence for the user is made from it. */
export type FailureCause =
  /** The provider said so, by status or by an error event. */
  | { type: "reported"; status?: number; message: string; requestId?: string; param?: string }
  /** No connection, or one that broke before an answer began. */
  | { type: "unreachable"; message: string }
  /** The stream ended without its finish marker, or broke. */
  | { type: "cut"; message?: string }
  | { type: "stalled"; idleMs: number }
  | { type: "malformed" }
  | { type: "webPage" }
  | { type: "restarted" }
  | { type: "badArguments"; toolName: string }
  | { type: "missingCalls" }
  | { type: "empty" }
  /** The provider did not say so, but the conversation left no room for an answer. */
  | { type: "overflow" }
  | { type: "refused"; explanation: string }
  | { type: "unknownFinish"; reason: string }
  | { type: "missingKey" }
  | { type: "unknownProvider"; known: string[] };

/** Why there is no whole answer. A value: providers do not throw. */
export interface ProviderFailure {
  readonly kind: ProviderErrorKind;
  readonly cause: FailureCause;
  /** Whether asking again may help, as long as nothing has arrived. */
  readonly isRetryable: boolean;
  /** What the server asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

export function failure(kind: ProviderErrorKind, cause: FailureCause, isRetryable = false): ProviderFailure {
  return { kind, cause, isRetryable };
}

export function isFailure(value: object | string): value is ProviderFailure {
  return typeof value === "object" && "isRetryable" in value;
}

/** Who was asked. */
export interface Target {
  model: Model;
  host: string;
  mask: Masker;
}

const maxDetail = 300;
const providerNames: Record<string, string> = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  openrouter: "OpenRouter",
  ollama: "Ollama",
  lmstudio: "LM Studio",
  llamacpp: "llama.cpp",
  vllm: "vLLM",
};
/** Where credit is bought, for the providers that everybody knows. */
const billingPages: Record<string, string> = {
  anthropic: "https://platform.claude.com/settings/billing",
  openai: "https://platform.openai.com/settings/organization/billing",
  openrouter: "https://openrouter.ai/settings/credits",
};

/** What happened, as data that a sentence is made of. */
export function factsOf(failure: ProviderFailure, target: Target): ErrorFacts {
  const { cause } = failure;
  const { name, id, provider } = target.model;
  const names = { provider: providerNames[provider] ?? provider, model: name ?? id };
  return {
    ...names,
    ...(cause.type === "reported" ? reportedFacts(failure, cause, target) : otherFacts(cause, target)),
  };
}

type Reported = Extract<FailureCause, { type: "reported" }>;
type Rest = Omit<ErrorFacts, "provider" | "model">;

function reportedFacts({ kind }: ProviderFailure, cause: Reported, { model, host, mask }: Target): Rest {
  const said = saying(mask(cause.message));
  switch (kind) {
    case "auth":
      return { code: cause.status === 403 ? "not_allowed" : "key_rejected", ...said };
    case "billing": {
      const page = billingPages[model.provider];
      return { code: "billing", ...said, ...(page === undefined ? {} : { page }) };
    }
    case "not_found":
      return { code: "not_found", host, ...said };
    case "context":
      return { code: "too_long", ...said };
    case "rate_limit":
    case "overloaded":
    case "rejected":
      return { code: kind, ...said };
    case "network":
    case "incomplete":
    case "unknown": {
      const { status, requestId } = cause;
      return {
        code: "failed",
        ...said,
        ...(status === undefined ? {} : { status }),
        ...(requestId === undefined ? {} : { requestId: mask(requestId) }),
      };
    }
    default:
      return assertNever(kind);
  }
}

function otherFacts(cause: Exclude<FailureCause, Reported>, { host, mask }: Target): Rest {
  switch (cause.type) {
    case "unreachable":
      return { code: "unreachable", host, ...saying(mask(cause.message)) };
    case "cut":
      return { code: "cut", ...saying(mask(cause.message ?? "")) };
    case "stalled":
      return { code: "stalled", seconds: cause.idleMs / 1000 };
    case "webPage":
      return { code: "web_page", host };
    case "badArguments":
      return { code: "bad_arguments", ...(cause.toolName === "" ? {} : { toolName: cause.toolName }) };
    case "missingCalls":
      return { code: "missing_calls" };
    case "malformed":
    case "restarted":
    case "empty":
      return { code: cause.type };
    case "overflow":
      return { code: "too_long" };
    case "refused":
      return { code: "refused", ...saying(mask(cause.explanation)) };
    case "unknownFinish":
      return { code: "unknown_finish", ...saying(mask(cause.reason)) };
    case "missingKey":
      return { code: "missing_key" };
    case "unknownProvider":
      return { code: "unknown_provider", known: cause.known };
    default:
      return assertNever(cause);
  }
}

/** What somebody said, short, on one line and without markup, so that it fits into a sentence. */
function saying(text: string): { said?: string } {
  const plain = text
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/\.+$/, "");
  if (plain === "") return {};
  return { said: plain.length > maxDetail ? `${plain.slice(0, maxDetail)}…` : plain };
}

const mask = "•••";
/** Shorter values are placeholders such as "none", and masking them would eat ordinary words. */
const minSecretLength = 5;
/** No plain word in a header is as long. */
const likelySecretLength = 20;
const secretHeader = /auth|key|token|secret|cookie/i;

/** Takes every secret out of a text that somebody will read. */
export type Masker = (text: string) => string;

/** Masks the key and whatever the headers carry in secret, also when a server echoes it. */
export function createMasker(apiKey: string | undefined, ...headers: (Record<string, string> | undefined)[]): Masker {
  const secrets = new Set(apiKey === undefined ? [] : [apiKey]);
  for (const [name, value] of headers.flatMap((fields) => Object.entries(fields ?? {}))) {
    if (!secretHeader.test(name) && value.length < likelySecretLength) continue;
    secrets.add(value);
    secrets.add(value.replace(/^\S+ /, ""));
  }
  // The longest first: one secret may contain another.
  const known = [...secrets].filter((s) => s.length >= minSecretLength).sort((a, b) => b.length - a.length);
  return (text) => known.reduce((masked, secret) => masked.replaceAll(secret, mask), text);
}
