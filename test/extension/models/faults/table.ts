import type { ProviderErrorKind } from "../../../../src/agent/vocabulary/messages.ts";
import type { Reply } from "../../../support/fakeProvider/script.ts";
import { breaking, cutArguments, odd, type Position } from "./positions.ts";

/** One value for each position, in their order, or the same for all. */
type At<T> = T | readonly [T, T, T, T, T];

/** A fault of a provider, and what has to come of it. */
export interface Fault {
  /** Its number among the robustness cases. */
  number: number;
  name: string;
  /** What the server does. */
  reply(at: Position): Reply;
  /** What a run comes to that meets the fault with every request; "answer" if it ends well nevertheless. */
  ends: At<ProviderErrorKind | "answer">;
  /** What the user reads; absent for a run that ends well. */
  says?: At<RegExp>;
  /** How many requests that takes. */
  requests: At<number>;
  /** How many failed answers the session keeps of them, each with what had come of it. */
  kept?: At<number>;
  /** How often the user is informed that a request is sent again; absent: once for each after the first. */
  told?: At<number>;
  /** How many it takes when the fault comes once and an answer follows; 0: the first fault ends the run. */
  requestsOnce: At<number>;
  /** How many tools run, all of them with whole arguments. */
  runs?: At<number>;
  /** Milliseconds before the first request that is sent again, where it is worth saying. */
  firstWait?: At<number | undefined>;
  /** The network hands on single bytes. */
  inBytes?: boolean;
  /** The server says nothing more, and never ends. */
  stalls?: boolean;
}

/**
 * Until something has arrived the request is sent up to five times more; after that, the turn is asked again twice.
 * Both counts begin with the first request.
 */
const untilArrived = 1 + 5;
const turnAgain = 1 + 2;
const askedAgain = [untilArrived, untilArrived, turnAgain, turnAgain, turnAgain] as const;
const keptOfThem = [1, 1, turnAgain, turnAgain, turnAgain] as const;

const error = (type: string, message: string, code: string) => ({ error: { type, message, code } });
const fail = (type: string, message: string, code: string) => [{ fail: { type, message, code } }];
const page = "<!doctype html>\n<title>Sign in</title>\n";
const lost = /The connection to fake was lost before the answer was complete.* Try again\./;

export const faults: readonly Fault[] = [
  {
    number: 49,
    name: "429 that asks for two minutes",
    reply: (at) =>
      breaking(at, fail("rate_limit_error", "Slow down", "rate_limit_exceeded"), {
        status: 429,
        body: error("rate_limit_error", "Slow down", "rate_limit_exceeded"),
        headers: { "retry-after": "120" },
      }),
    ends: "rate_limit",
    says: /^fake limits the rate of requests \(Slow down\)\. Wait a moment and retry, or pick another model\.$/,
    requests: askedAgain,
    kept: keptOfThem,
    requestsOnce: 2,
    firstWait: [60_000, 500, 500, 500, 500],
  },
  {
    number: 49,
    name: "429 that asks for a time that has passed",
    reply: (at) =>
      breaking(at, fail("rate_limit_error", "Slow down", "slow_down"), {
        status: 429,
        body: error("rate_limit_error", "Slow down", "slow_down"),
        headers: { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" },
      }),
    ends: "rate_limit",
    says: /^fake limits the rate of requests \(Slow down\)\./,
    requests: askedAgain,
    kept: keptOfThem,
    requestsOnce: 2,
    firstWait: [500, 500, 500, 500, 500],
  },
  {
    number: 50,
    name: "an overloaded provider",
    reply: (at) =>
      breaking(at, fail("overloaded_error", "Overloaded", "server_overloaded"), {
        status: 529,
        body: error("overloaded_error", "Overloaded", "server_overloaded"),
      }),
    ends: "overloaded",
    says: /^fake is overloaded \(Overloaded\)\. Retry in a while, or pick another model\.$/,
    requests: askedAgain,
    kept: keptOfThem,
    requestsOnce: 2,
    firstWait: [500, 500, 500, 500, 500],
  },
  {
    number: 50,
    name: "a server with trouble of its own",
    reply: (at) =>
      breaking(at, fail("api_error", "Oops", "internal_server_error"), {
        status: 500,
        body: error("api_error", "Oops", "internal_server_error"),
        headers: { "retry-after": "2" },
      }),
    ends: "unknown",
    says: /^fake failed(?: with status 500)? \(Oops\)\. Retry, or pick another model\.$/,
    requests: askedAgain,
    kept: keptOfThem,
    requestsOnce: 2,
    firstWait: [2_000, 500, 500, 500, 500],
  },
  {
    number: 51,
    name: "a key that is rejected",
    reply: (at) =>
      breaking(at, fail("authentication_error", "Who?", "invalid_api_key"), {
        status: 401,
        body: error("authentication_error", "Who?", "invalid_api_key"),
      }),
    ends: "auth",
    says: /^fake rejected the API key \(Who\?\)\. Set a valid key and try again\.$/,
    requests: 1,
    kept: 1,
    requestsOnce: 0,
  },
  {
    number: 51,
    name: "a model that is not there",
    reply: (at) =>
      breaking(at, fail("not_found_error", "No such model", "model_not_found"), {
        status: 404,
        body: error("not_found_error", "No such model", "model_not_found"),
      }),
    ends: "not_found",
    says: /^fake has no model test-model at 127\.0\.0\.1:\d+ \(No such model\)\. Pick another model/,
    requests: 1,
    kept: 1,
    requestsOnce: 0,
  },
  {
    number: 51,
    name: "a request that is rejected",
    reply: (at) =>
      breaking(at, fail("invalid_request_error", "tools.0: bad name", "invalid_request_error"), {
        status: 400,
        body: error("invalid_request_error", "tools.0: bad name", "invalid_request_error"),
      }),
    ends: "rejected",
    says: /^fake rejected the request \(tools\.0: bad name\)\. Change the request, or pick another model\.$/,
    requests: 1,
    kept: 1,
    requestsOnce: 0,
  },
  {
    number: 51,
    name: "credit that is used up",
    reply: (at) =>
      breaking(at, fail("billing_error", "No credit", "insufficient_quota"), {
        status: 429,
        body: error("billing_error", "No credit", "insufficient_quota"),
      }),
    ends: "billing",
    says: /^Credit or spending limit of fake is used up \(No credit\)\. Add credit or raise the limit at /,
    requests: 1,
    kept: 1,
    requestsOnce: 0,
  },
  {
    number: 52,
    name: "a connection that is reset",
    reply: (at) => breaking(at, [{ cut: true }], { drop: true }),
    ends: ["network", "incomplete", "incomplete", "incomplete", "incomplete"],
    says: [/^Could not reach fake at 127\.0\.0\.1:\d+ \(.+\)\. Check the connection/, lost, lost, lost, lost],
    requests: askedAgain,
    kept: keptOfThem,
    requestsOnce: 2,
  },
  {
    number: 53,
    name: "arguments that are not whole JSON",
    reply: (at) => odd(at, [{ tool: "write_file", rawArguments: cutArguments }]),
    ends: "incomplete",
    says: /^test-model called write_file with arguments that are not whole JSON, and nothing was run\. Try again\./,
    requests: turnAgain,
    kept: turnAgain,
    requestsOnce: 2,
  },
  {
    number: 54,
    name: "a server that falls silent",
    reply: (at) =>
      breaking(at, [{ raw: ": silence\n\n" }, { gate: "never" }], { steps: [], holdAt: "never before the headers" }),
    ends: "network",
    says: /^fake sent nothing for 120 s\. Try again\.$/,
    requests: askedAgain,
    kept: keptOfThem,
    requestsOnce: 2,
    stalls: true,
  },
  {
    number: 55,
    name: "a web page in place of an answer",
    reply: (at) => breaking(at, [{ raw: page }, { end: true }], { status: 200, body: page }),
    ends: ["network", "incomplete", "incomplete", "incomplete", "incomplete"],
    says: [
      /^127\.0\.0\.1:\d+ answered with a web page instead of .* login page answers in its place\.$/,
      lost,
      lost,
      lost,
      lost,
    ],
    requests: [1, untilArrived, turnAgain, turnAgain, turnAgain],
    kept: keptOfThem,
    requestsOnce: [0, 2, 2, 2, 2],
  },
  {
    number: 56,
    name: "an answer that holds nothing",
    reply: (at) => ({
      steps: at === "inside the text" ? [{ text: "" }] : [],
      ...(at === "before the headers" ? { holdAt: "late headers" } : {}),
      ...(at === "inside the arguments" ? { finish: "toolUse" } : {}),
      ...(at === "before the end" ? { usage: { input: 7, output: 1 } } : {}),
    }),
    ends: "incomplete",
    says: /^test-model (?:answered with nothing|announced a tool call and made none)\. (?:Retry, or pick|Try again)/,
    requests: 3,
    kept: 1,
    requestsOnce: 2,
  },
  {
    number: 56,
    name: "an answer that only thinks",
    reply: (at) => ({
      steps: [{ thinking: "Hm." }, ...(at === "inside the text" ? [{ text: " " }] : [])],
      ...(at === "before the headers" ? { holdAt: "late headers" } : {}),
      ...(at === "before the end" ? { usage: { input: 7, output: 40, reasoning: 40 } } : {}),
    }),
    ends: "incomplete",
    says: /^test-model answered with nothing\. Retry, or pick another model\.$/,
    requests: turnAgain,
    kept: turnAgain,
    requestsOnce: 2,
  },
  {
    number: 57,
    name: "calls of tools that nobody has, by ids that nobody can use",
    reply: (at) =>
      odd(at, [
        { tool: "no_such_tool", id: "__proto__", arguments: { __proto__: { polluted: true } } },
        { tool: "constructor", id: "", arguments: {} },
        { tool: "no_such_tool", id: "__proto__", rawArguments: '{"__proto__":{"polluted":true}}' },
      ]),
    ends: "answer",
    requests: 2,
    requestsOnce: 2,
    runs: [0, 0, 0, 1, 1],
  },
  {
    number: 58,
    name: "an output limit inside a call",
    reply: (at) => odd(at, [{ tool: "write_file", rawArguments: cutArguments }], { finish: "length" }),
    ends: "answer",
    requests: 2,
    requestsOnce: 2,
  },
  {
    number: 59,
    name: "a refusal",
    reply: (at) => odd(at, [], { finish: "refusal" }),
    ends: "rejected",
    says: /^test-model declined to answer.*\. Change the request, or pick another model\.$/,
    requests: 1,
    kept: 1,
    requestsOnce: 0,
  },
  {
    number: 60,
    name: "a conversation that is too long",
    reply: (at) =>
      breaking(at, fail("invalid_request_error", "prompt is too long", "context_length_exceeded"), {
        status: 413,
        body: error("request_too_large", "Too large", "context_length_exceeded"),
      }),
    ends: "context",
    says: /^The conversation is too long for test-model \(.+\)\. Compact it, or start a new chat\.$/,
    // The request, a summary, and the request once more.
    requests: 3,
    told: 0,
    kept: 2,
    requestsOnce: 3,
  },
  {
    number: 61,
    name: "an answer without a count of tokens",
    reply: (at) => odd(at, at === "inside the arguments" ? [] : [{ text: " and done." }], { usage: null }),
    ends: "answer",
    requests: [1, 1, 1, 2, 2],
    requestsOnce: [1, 1, 1, 2, 2],
    runs: [0, 0, 0, 1, 1],
  },
  {
    number: 62,
    name: "a network that hands on single bytes",
    reply: (at) => odd(at, [{ text: " Grüße 😀\r\n" }]),
    ends: "answer",
    requests: [1, 1, 1, 2, 2],
    requestsOnce: [1, 1, 1, 2, 2],
    runs: [0, 0, 0, 1, 1],
    inBytes: true,
  },
  {
    number: 63,
    name: "halves of characters in what is sent back",
    reply: (at) => odd(at, [{ text: "half \ud83d" }, { tool: "write_file", arguments: { path: "\ude00" } }]),
    ends: "answer",
    requests: 2,
    requestsOnce: 2,
    runs: [1, 1, 1, 2, 2],
  },
];

export function valueAt<T>(values: At<T>, at: Position, all: readonly Position[]): T {
  // A tuple gives the positions in their order; anything else for all of them.
  return Array.isArray(values) ? values[all.indexOf(at)] : (values as T);
}
