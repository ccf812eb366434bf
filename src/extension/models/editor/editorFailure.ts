import { t } from "@vscode/l10n";
import { assertNever } from "../../../agent/vocabulary/errors.ts";
import type { ProviderErrorKind } from "../../../agent/vocabulary/messages.ts";
import { goneEditorModelProblem } from "../problems.ts";

/** Why a model of the editor gave no whole answer: a value with sentences for the user. */
export interface EditorFailure {
  kind: ProviderErrorKind;
  text: string;
  /** Whether asking again may help, as long as nothing has arrived. */
  isRetryable: boolean;
}

const maxDetailLength = 300;

/** Words of errors that come without a code, by what they mean. The order decides where several fit. */
const meanings: readonly [RegExp, ProviderErrorKind][] = [
  [/quota|billing|payment|credits?\b|subscription|premium requests?|upgrade/i, "billing"],
  [/rate.?limit|too many requests|\b429\b/i, "rate_limit"],
  [
    /context (?:length|window|size)|too (?:long|many tokens)|token limit|exceeds? the (?:model|maximum|limit)/i,
    "context",
  ],
  [/filtered|content.?policy|responsible.?ai|off.?topic/i, "rejected"],
  [/overloaded|unavailable|\b5(?:0[0234]|29)\b|server error/i, "overloaded"],
  [/ENOTFOUND|ECONN|EAI_AGAIN|ETIMEDOUT|fetch failed|net::ERR|socket|network|time(?:d )?.?out|offline/i, "network"],
  [/sign(?:ed)? ?in|log ?in|authenticat|unauthori[sz]ed|\b401\b/i, "auth"],
];

const passing: ReadonlySet<ProviderErrorKind> = new Set(["rate_limit", "overloaded", "network"]);

/** What the editor or the model's extension threw. The editor's own errors have a code, the others their words alone. */
export function thrownFailure(error: unknown, model: { id: string; label: string }): EditorFailure {
  const { code, name, message } = errorFields(error);
  const { label } = model;
  const said = message === "" ? "" : ` (${message.slice(0, maxDetailLength)})`;
  if (code === "NotFound")
    return { kind: "not_found", text: goneEditorModelProblem(model.id).text, isRetryable: false };
  if (code === "NoPermissions") {
    const text = t(
      "Arbor may not use {0}{1}. Retry and allow it when the editor asks, or select another model.",
      label,
      said,
    );
    return { kind: "auth", text, isRetryable: false };
  }
  const kind = kindOf(code, `${name} ${message}`);
  return { kind, text: textOf(kind, label, said), isRetryable: passing.has(kind) };
}

function kindOf(code: string, words: string): ProviderErrorKind {
  const meant = meanings.find(([pattern]) => pattern.test(words))?.[1];
  // The editor documents it as a used-up quota; some say so of a mere rate.
  if (code === "Blocked") return meant === "rate_limit" || meant === "rejected" ? meant : "billing";
  return meant ?? "unknown";
}

function textOf(kind: ProviderErrorKind, label: string, said: string): string {
  switch (kind) {
    case "billing":
      return t(
        "The quota of {0} is used up{1}. See your plan with its provider, or select another model.",
        label,
        said,
      );
    case "rate_limit":
      return t("{0} limits the rate of requests{1}. Wait a moment and retry, or select another model.", label, said);
    case "context":
      return t("The conversation is too long for {0}{1}. Compact it, or start a new chat.", label, said);
    case "rejected":
      return t("{0} refused the request{1}. Change it, or select another model.", label, said);
    case "overloaded":
      return t("{0} is overloaded{1}. Retry in a while, or select another model.", label, said);
    case "network":
      return t("The connection to {0} failed{1}. Check the network, then retry.", label, said);
    case "auth":
      return t("{0} needs you to sign in{1}. Sign in with its extension, then retry.", label, said);
    default:
      return t("{0} failed{1}. Retry, or select another model.", label, said);
  }
}

/** An answer that did not come to its end, though nothing was thrown. */
export function brokenFailure(what: "stalled" | "empty" | "arguments", label: string, detail = ""): EditorFailure {
  switch (what) {
    case "stalled":
      return {
        kind: "network",
        text: t("{0} sent nothing for {1} s. Try again.", label, detail),
        isRetryable: true,
      };
    case "empty":
      return {
        kind: "incomplete",
        text: t("{0} answered with nothing. Retry, or select another model.", label),
        isRetryable: true,
      };
    case "arguments":
      return {
        kind: "incomplete",
        text: t("{0} called {1} with arguments that are not an object, and nothing was run. Try again.", label, detail),
        isRetryable: false,
      };
    default:
      return assertNever(what);
  }
}

/** Of an error and what caused it; the editor wraps what the model's extension threw. */
function errorFields(error: unknown): { code: string; name: string; message: string } {
  if (!(error instanceof Error)) return { code: "", name: "", message: typeof error === "string" ? error : "" };
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const inner = error.cause instanceof Error ? error.cause : undefined;
  const message = error.message !== "" ? error.message : (inner?.message ?? "");
  return { code, name: `${error.name} ${inner?.name ?? ""} ${inner?.message ?? ""}`, message };
}
