import { t } from "@vscode/l10n";
import type { AssistantMessage, ErrorFacts } from "../../agent/types.ts";
import { assertNever } from "../../agent/vocabulary/errors.ts";

/** What happened, and what the user can do about it: two sentences. */
interface ErrorWords {
  what: string;
  advice: string;
}

/** Why a request failed, in the user's language; undefined for one that did not fail. */
export function errorMessageOf({ errorMessage, errorFacts }: AssistantMessage): string | undefined {
  if (errorMessage === undefined || errorFacts === undefined) return errorMessage;
  const { what, advice } = errorWords(errorFacts);
  return isAboutTheAnswer(errorFacts) ? what : `${what} ${advice}`;
}

/** What the agent's loop saw itself has one sentence. */
function isAboutTheAnswer({ code }: ErrorFacts): boolean {
  return code === "aborted" || code === "ended_early" || code === "unexplained";
}

export function errorWords(facts: ErrorFacts): ErrorWords {
  const { code, provider, model, host = "" } = facts;
  const said = facts.said === undefined ? "" : ` (${facts.said})`;
  const askAgain = t("Try again.");
  const retryOrSwitch = t("Retry, or pick another model.");
  const changeRequest = t("Change the request, or pick another model.");
  switch (code) {
    case "not_allowed":
      return {
        what: t("{0} does not allow {1} with this key{2}.", provider, model, said),
        advice: t("Set another key, or pick another model."),
      };
    case "key_rejected":
      return { what: t("{0} rejected the API key{1}.", provider, said), advice: t("Set a valid key and try again.") };
    case "billing":
      return {
        what: t("Credit or spending limit of {0} is used up{1}.", provider, said),
        advice: billingAdvice(facts.page),
      };
    case "not_found":
      return {
        what: t("{0} has no model {1} at {2}{3}.", provider, model, host, said),
        advice: t("Pick another model, or check the base URL."),
      };
    case "rate_limit":
      return {
        what: t("{0} limits the rate of requests{1}.", provider, said),
        advice: t("Wait a moment and retry, or pick another model."),
      };
    case "overloaded":
      return {
        what: t("{0} is overloaded{1}.", provider, said),
        advice: t("Retry in a while, or pick another model."),
      };
    case "too_long":
      return {
        what: t("The conversation is too long for {0}{1}.", model, said),
        advice: t("Compact it, or start a new chat."),
      };
    case "rejected":
      return { what: t("{0} rejected the request{1}.", provider, said), advice: changeRequest };
    case "failed":
      return { what: failedWords(facts, said), advice: retryOrSwitch };
    case "unreachable":
      return {
        what: t("Could not reach {0} at {1}{2}.", provider, host, said),
        advice: t("Check the connection and the base URL, then retry."),
      };
    case "cut":
      return {
        what: t("The connection to {0} was lost before the answer was complete{1}.", provider, said),
        advice: askAgain,
      };
    case "stalled":
      return { what: t("{0} sent nothing for {1} s.", provider, facts.seconds ?? 0), advice: askAgain };
    case "malformed":
      return { what: t("{0} sent a broken stream, and nothing of it was run.", provider), advice: askAgain };
    case "web_page":
      return {
        what: t("{0} answered with a web page instead of a model's answer.", host),
        advice: t("Check the base URL, and whether a login page answers in its place."),
      };
    case "restarted":
      return {
        what: t("{0} started its answer again halfway, and nothing of it was run.", provider),
        advice: askAgain,
      };
    case "bad_arguments":
      return { what: argumentWords(facts), advice: askAgain };
    case "missing_calls":
      return { what: t("{0} announced a tool call and made none.", model), advice: askAgain };
    case "empty":
      return { what: t("{0} answered with nothing.", model), advice: retryOrSwitch };
    case "refused":
      return { what: t("{0} declined to answer{1}.", model, said), advice: changeRequest };
    case "unknown_finish":
      return { what: t("{0} stopped for an unknown reason{1}.", model, said), advice: retryOrSwitch };
    case "missing_key":
      return { what: t("No API key is set for {0}.", provider), advice: t("Set one, or pick another model.") };
    case "unknown_provider":
      return { what: unknownProviderWords(facts), advice: t("Pick a model of another provider.") };
    case "aborted":
      return { what: t("The answer was aborted."), advice: askAgain };
    case "ended_early":
      return { what: t("The answer ended without being complete."), advice: askAgain };
    case "unexplained":
      return { what: t("The provider failed without saying why."), advice: askAgain };
    default:
      return assertNever(code);
  }
}

function billingAdvice(page: string | undefined): string {
  return page === undefined
    ? t("Add credit or raise the limit at the provider's console, or pick another model.")
    : t("Add credit or raise the limit at {0}, or pick another model.", page);
}

function failedWords({ provider, status, requestId }: ErrorFacts, said: string): string {
  const detail = requestId === undefined ? said : `${said} (${t("request id {0}", requestId)})`;
  return status === undefined
    ? t("{0} failed{1}.", provider, detail)
    : t("{0} failed with status {1}{2}.", provider, status, detail);
}

function argumentWords({ model, toolName }: ErrorFacts): string {
  return toolName === undefined
    ? t("{0} called a tool with arguments that are not whole JSON, and nothing was run.", model)
    : t("{0} called {1} with arguments that are not whole JSON, and nothing was run.", model, toolName);
}

function unknownProviderWords({ provider, known = [] }: ErrorFacts): string {
  return known.length === 0
    ? t('The provider "{0}" is not set up.', provider)
    : t('The provider "{0}" is not set up (known: {1}).', provider, known.join(", "));
}
