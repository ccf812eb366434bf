import type { ErrorFacts } from "../../vocabulary/errorFacts.ts";
import { assertNever } from "../../vocabulary/errors.ts";
import type { Model } from "../../vocabulary/model.ts";
import type { FailureCause, ProviderFailure } from "./failure.ts";
import type { Masker } from "./secrets.ts";

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
