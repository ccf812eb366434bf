import { assertNever } from "../errors.ts";
import type { Model } from "../model.ts";
import type { FailureCause, ProviderFailure } from "./failure.ts";
import type { Masker } from "./secrets.ts";

/** What happened, and what the user can do about it: two sentences without their full stops. */
export interface FailureText {
  what: string;
  advice: string;
}

/** Who was asked. */
export interface Target {
  model: Model;
  host: string;
  mask: Masker;
}

const maxDetail = 300;
const askAgain = "Retry to ask again";
const retryOrSwitch = "Retry, or pick another model";
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

export function failureText(failure: ProviderFailure, target: Target): FailureText {
  const { cause } = failure;
  return cause.type === "reported" ? reportedText(failure, cause, target) : otherText(cause, target);
}

type Reported = Extract<FailureCause, { type: "reported" }>;

function reportedText({ kind }: ProviderFailure, cause: Reported, { model, host, mask }: Target): FailureText {
  const { provider, id } = namesOf(model);
  const said = detail(mask(cause.message));
  switch (kind) {
    case "auth":
      return cause.status === 403
        ? {
            what: `${provider} does not allow ${id} with this key${said}`,
            advice: "Set another key, or pick another model",
          }
        : { what: `${provider} rejected the API key${said}`, advice: "Set a valid key and try again" };
    case "billing": {
      const page = billingPages[model.provider] ?? "the provider's console";
      const advice = `Add credit or raise the limit at ${page}, or pick another model`;
      return { what: `Credit or spending limit of ${provider} is used up${said}`, advice };
    }
    case "not_found":
      return {
        what: `${provider} has no model ${id} at ${host}${said}`,
        advice: "Pick another model, or check the base URL",
      };
    case "rate_limit":
      return {
        what: `${provider} limits the rate of requests${said}`,
        advice: "Wait a moment and retry, or pick another model",
      };
    case "overloaded":
      return { what: `${provider} is overloaded${said}`, advice: "Retry in a while, or pick another model" };
    case "context":
      return tooLong(id, said);
    case "rejected":
      return { what: `${provider} rejected the request${said}`, advice: "Change the request, or pick another model" };
    case "network":
    case "incomplete":
    case "unknown": {
      const status = cause.status === undefined ? "" : ` with status ${cause.status}`;
      const request = cause.requestId === undefined ? "" : ` (request id ${mask(cause.requestId)})`;
      return { what: `${provider} failed${status}${said}${request}`, advice: retryOrSwitch };
    }
    default:
      return assertNever(kind);
  }
}

function otherText(cause: Exclude<FailureCause, Reported>, { model, host, mask }: Target): FailureText {
  const { provider, id } = namesOf(model);
  switch (cause.type) {
    case "unreachable": {
      const what = `Could not reach ${provider} at ${host}${detail(mask(cause.message))}`;
      return { what, advice: "Check the connection and the base URL, then retry" };
    }
    case "cut": {
      const why = detail(mask(cause.message ?? ""));
      return { what: `The connection to ${provider} was lost before the answer was complete${why}`, advice: askAgain };
    }
    case "stalled":
      return { what: `${provider} sent nothing for ${cause.idleMs / 1000} s`, advice: askAgain };
    case "malformed":
      return { what: `${provider} sent a broken stream, and nothing of it was run`, advice: askAgain };
    case "webPage": {
      const what = `${host} answered with a web page instead of a model's answer`;
      return { what, advice: "Check the base URL, and whether a login page stands in between" };
    }
    case "restarted":
      return { what: `${provider} began its answer anew halfway, and nothing of it was run`, advice: askAgain };
    case "badArguments": {
      const tool = cause.toolName || "a tool";
      return {
        what: `${id} called ${tool} with arguments that are not whole JSON, and nothing was run`,
        advice: askAgain,
      };
    }
    case "missingCalls":
      return { what: `${id} announced a tool call and made none`, advice: askAgain };
    case "empty":
      return { what: `${id} answered with nothing`, advice: retryOrSwitch };
    case "overflow":
      return tooLong(id, "");
    case "refused": {
      const what = `${id} declined to answer${detail(mask(cause.explanation))}`;
      return { what, advice: "Change the request, or pick another model" };
    }
    case "unknownFinish":
      return { what: `${id} stopped for an unknown reason${detail(mask(cause.reason))}`, advice: retryOrSwitch };
    case "missingKey":
      return { what: `No API key is set for ${provider}`, advice: "Set one, or pick another model" };
    case "unknownProvider": {
      const known = cause.known.length === 0 ? "" : ` (known: ${cause.known.join(", ")})`;
      return { what: `The provider "${provider}" is not set up${known}`, advice: "Pick a model of another provider" };
    }
    default:
      return assertNever(cause);
  }
}

function tooLong(id: string, said: string): FailureText {
  return { what: `The conversation is too long for ${id}${said}`, advice: "Compact it, or start a new chat" };
}

function namesOf({ provider, name, id }: Model): { provider: string; id: string } {
  return { provider: providerNames[provider] ?? provider, id: name ?? id };
}

/** What somebody said, short, on one line and without markup, so that it fits into a sentence. */
function detail(text: string): string {
  const plain = text
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/\.+$/, "");
  if (plain === "") return "";
  return ` (${plain.length > maxDetail ? `${plain.slice(0, maxDetail)}…` : plain})`;
}
