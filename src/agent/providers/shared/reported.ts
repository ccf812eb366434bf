import type { ProviderErrorKind } from "../../vocabulary/messages.ts";
import type { ProviderFailure } from "./failure.ts";
import { retryAfterMs } from "./retry.ts";

/** What a provider says about an error: by HTTP status, or in an error event with a status of 200. */
export interface Report {
  status?: number;
  /** The error's own type and code, in whatever spelling. */
  codes: string[];
  message: string;
  /** The parameter that the error is about. */
  param?: string;
  headers?: Headers;
}

const billingCodes = new Set([
  "billing_error",
  "billing_hard_limit_reached",
  "billing_not_active",
  "credit_balance_exhausted",
  "enforced_spend_limit_reached",
  "insufficient_quota",
  "organization_spend_limit_exceeded",
  "organization_usage_limit_exceeded",
  "project_spend_limit_exceeded",
]);
const billingText = /credit balance|exceeded your current quota|spend(?:ing)? limit|insufficient (?:credits|balance)/i;

/** Error types and codes of all three wires by what they mean. */
const kindOfCode: Record<string, ProviderErrorKind> = {
  authentication_error: "auth",
  invalid_api_key: "auth",
  permission_error: "auth",
  not_found_error: "not_found",
  model_not_found: "not_found",
  rate_limit_error: "rate_limit",
  rate_limit_exceeded: "rate_limit",
  slow_down: "rate_limit",
  overloaded_error: "overloaded",
  server_overloaded: "overloaded",
  context_length_exceeded: "context",
  model_context_window_exceeded: "context",
  request_too_large: "context",
};
const kindOfStatus: Record<number, ProviderErrorKind> = {
  401: "auth",
  402: "billing",
  403: "auth",
  404: "not_found",
  413: "context",
  429: "rate_limit",
  503: "overloaded",
  529: "overloaded",
};
/** Codes of passing troubles, for errors that come without a status of their own. */
const passingCodes = new Set(["api_error", "server_error", "internal_server_error", "timeout_error", "internal_error"]);

export function reportedFailure(report: Report): ProviderFailure {
  const kind = kindOf(report);
  const requestId = report.headers?.get("request-id") ?? report.headers?.get("x-request-id");
  const wait = report.headers === undefined ? undefined : retryAfterMs(report.headers, Date.now());
  return {
    kind,
    isRetryable: isRetryable(report, kind),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    cause: {
      type: "reported",
      message: report.message,
      ...(report.status === undefined ? {} : { status: report.status }),
      ...(requestId ? { requestId } : {}),
      ...(report.param === undefined ? {} : { param: report.param }),
    },
  };
}

function kindOf({ status, codes, message }: Report): ProviderErrorKind {
  if (codes.some((code) => billingCodes.has(code)) || billingText.test(message)) return "billing";
  const isAboutRequest = status === undefined || status === 400 || status === 413 || status === 422;
  if (isAboutRequest && isOverflow(message)) return "context";
  for (const code of codes) {
    const kind = kindOfCode[code];
    if (kind !== undefined) return kind;
  }
  // With a status, this type says no more than that; some send it for a key that is missing.
  if (status === undefined) return codes.includes("invalid_request_error") ? "rejected" : "unknown";
  return kindOfStatus[status] ?? (status >= 400 && status < 500 && !isPassing(status) ? "rejected" : "unknown");
}

function isRetryable({ status, codes, headers }: Report, kind: ProviderErrorKind): boolean {
  const advice = headers?.get("x-should-retry");
  if (kind === "billing" || advice === "false") return false;
  if (advice === "true") return true;
  if (status !== undefined) return isPassing(status);
  return kind === "rate_limit" || kind === "overloaded" || codes.some((code) => passingCodes.has(code));
}

/** Whether a status means a temporary failure. */
function isPassing(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** Reads an error body or an error event. Providers nest it differently and leave out what they like. */
export function readReport(body: unknown, status?: number, headers?: Headers): Report {
  const outer = fieldsOf(body);
  const inner = fieldsOf(outer.error);
  const error = Object.keys(inner).length > 0 ? inner : outer;
  const details = fieldsOf(error.details);
  const codes = [error.code, error.type, details.error_code]
    .filter((code) => typeof code === "string")
    .map((code) => code.toLowerCase());
  // OpenRouter and others give the HTTP status of an error event as its code.
  const code = Number(error.code);
  const effective = status ?? (code >= 400 && code < 600 ? code : undefined);
  const text = error.message ?? outer.error ?? outer.detail ?? (typeof body === "string" ? body : "");
  return {
    codes,
    message: typeof text === "string" ? text : JSON.stringify(text),
    ...(typeof error.param === "string" ? { param: error.param } : {}),
    ...(effective === undefined ? {} : { status: effective }),
    ...(headers === undefined ? {} : { headers }),
  };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  // Any object can be read by name; what is not there is undefined.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/**
 * How providers and local servers say that a request is longer than the model's window. No two use the same words, but
 * all of them speak of the context, or of a prompt or its tokens beyond a limit.
 */
const overflowTexts: readonly RegExp[] = [
  /context[ _-](?:length|window|size|limit)/i,
  /\b(?:prompt|input|request|conversation)\b.*\btoo (?:long|large|many tokens)\b/i,
  /\btokens?\b[\w ]*\b(?:count|limit)\b.*(?:exceed|maximum|\d)/i,
  /\bmaximum prompt\b/i,
  /\bexceed\w*\b.*\b(?:maximum size|token limit|number of tokens)\b/i,
  /\btoo many (?:input )?tokens\b/i,
  /\breduce the (?:length|size|number) of\b.*\b(?:messages|prompt|input)\b/i,
];

/** What can mean nothing else, though it names the room for the answer as well. */
const certainTexts: readonly RegExp[] = [/\bprompt contains (?:at least )?\d+/i, /\bexceeds? (?:the )?context limit/i];

/** Limits of something else, in words that are alike. */
const others = /\bimages?\b|\bpdf\b|max_(?:completion_|output_)?tokens|output tokens|rate limit|too many requests/i;

/** Whether the text of an error reports a conversation that is too long. */
export function isOverflow(text: string): boolean {
  const isAny = (sayings: readonly RegExp[]) => sayings.some((saying) => saying.test(text));
  return isAny(certainTexts) || (!others.test(text) && isAny(overflowTexts));
}
