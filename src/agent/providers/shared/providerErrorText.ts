import { assertNever, type ErrorFacts } from "../../vocabulary/errors.ts";

/** What happened, and what the user can do about it: two sentences without their full stops. */
export interface FailureText {
  what: string;
  advice: string;
}

const askAgain = "Try again";
const retryOrSwitch = "Retry, or pick another model";

/** Both sentences, in English, for logs and for models. */
export function providerErrorText(facts: ErrorFacts): string {
  const { what, advice } = errorSentences(facts);
  return `${what}. ${advice}.`;
}

export function errorSentences(facts: ErrorFacts): FailureText {
  const { code, provider, model, host = "" } = facts;
  const said = facts.said === undefined ? "" : ` (${facts.said})`;
  switch (code) {
    case "not_allowed":
      return {
        what: `${provider} does not allow ${model} with this key${said}`,
        advice: "Set another key, or pick another model",
      };
    case "key_rejected":
      return { what: `${provider} rejected the API key${said}`, advice: "Set a valid key and try again" };
    case "billing": {
      const page = facts.page ?? "the provider's console";
      const advice = `Add credit or raise the limit at ${page}, or pick another model`;
      return { what: `Credit or spending limit of ${provider} is used up${said}`, advice };
    }
    case "not_found":
      return {
        what: `${provider} has no model ${model} at ${host}${said}`,
        advice: "Pick another model, or check the base URL",
      };
    case "rate_limit":
      return {
        what: `${provider} limits the rate of requests${said}`,
        advice: "Wait a moment and retry, or pick another model",
      };
    case "overloaded":
      return { what: `${provider} is overloaded${said}`, advice: "Retry in a while, or pick another model" };
    case "too_long":
      return {
        what: `The conversation is too long for ${model}${said}`,
        advice: "Compact it, or start a new chat",
      };
    case "rejected":
      return { what: `${provider} rejected the request${said}`, advice: "Change the request, or pick another model" };
    case "failed": {
      const status = facts.status === undefined ? "" : ` with status ${facts.status}`;
      const request = facts.requestId === undefined ? "" : ` (request id ${facts.requestId})`;
      return { what: `${provider} failed${status}${said}${request}`, advice: retryOrSwitch };
    }
    case "unreachable": {
      const what = `Could not reach ${provider} at ${host}${said}`;
      return { what, advice: "Check the connection and the base URL, then retry" };
    }
    case "cut":
      return { what: `The connection to ${provider} was lost before the answer was complete${said}`, advice: askAgain };
    case "stalled":
      return { what: `${provider} sent nothing for ${facts.seconds} s`, advice: askAgain };
    case "malformed":
      return { what: `${provider} sent a broken stream, and nothing of it was run`, advice: askAgain };
    case "web_page": {
      const what = `${host} answered with a web page instead of a model's answer`;
      return { what, advice: "Check the base URL, and whether a login page answers in its place" };
    }
    case "restarted":
      return { what: `${provider} started its answer again halfway, and nothing of it was run`, advice: askAgain };
    case "bad_arguments": {
      const tool = facts.toolName ?? "a tool";
      return {
        what: `${model} called ${tool} with arguments that are not whole JSON, and nothing was run`,
        advice: askAgain,
      };
    }
    case "missing_calls":
      return { what: `${model} announced a tool call and made none`, advice: askAgain };
    case "empty":
      return { what: `${model} answered with nothing`, advice: retryOrSwitch };
    case "refused":
      return { what: `${model} declined to answer${said}`, advice: "Change the request, or pick another model" };
    case "unknown_finish":
      return { what: `${model} stopped for an unknown reason${said}`, advice: retryOrSwitch };
    case "missing_key":
      return { what: `No API key is set for ${provider}`, advice: "Set one, or pick another model" };
    case "unknown_provider": {
      const { known = [] } = facts;
      const names = known.length === 0 ? "" : ` (known: ${known.join(", ")})`;
      return { what: `The provider "${provider}" is not set up${names}`, advice: "Pick a model of another provider" };
    }
    case "aborted":
      return { what: "The answer was aborted", advice: askAgain };
    case "ended_early":
      return { what: "The answer ended without being complete", advice: askAgain };
    case "unexplained":
      return { what: "The provider failed without saying why", advice: askAgain };
    default:
      return assertNever(code);
  }
}
