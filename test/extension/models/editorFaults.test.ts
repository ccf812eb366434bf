import assert from "node:assert/strict";
import { type ProviderErrorKind, textOf } from "../../../src/agent/vocabulary/messages.ts";
import type { EditorAnswerPart, EditorModel } from "../../../src/extension/models/editor/editorModel.ts";
import { editorStream } from "../../../src/extension/models/editor/editorStream.ts";
import { createRateLimiter } from "../../../src/extension/models/limits/rateLimiter.ts";
import { skippingClock } from "../../support/skippingClock.ts";
import { runOnce } from "./faults/runCell.ts";

const places = ["when it is asked", "before the first part", "inside the text", "after a call"] as const;
type Place = (typeof places)[number];

/** What the editor or the extension behind a model raises, as `vscode.LanguageModelError` and as plain errors. */
const coded = (code: string, message: string) =>
  Object.assign(new Error(message), { name: "LanguageModelError", code });

interface Raised {
  what: string;
  raise: () => unknown;
  kind: ProviderErrorKind;
  says: RegExp;
  /** Whether another request may help. */
  isPassing: boolean;
}

const faults: Raised[] = [
  {
    what: "a model that is gone",
    raise: () => coded("NotFound", "gone"),
    kind: "not_found",
    says: /select/i,
    isPassing: false,
  },
  {
    what: "a user who does not allow it",
    raise: () => coded("NoPermissions", "denied"),
    kind: "auth",
    says: /may not use .*\(denied\)\. Retry and allow it when the editor asks/,
    isPassing: false,
  },
  {
    what: "a quota that is used up",
    raise: () => coded("Blocked", "quota exceeded"),
    kind: "billing",
    says: /quota of .* is used up/,
    isPassing: false,
  },
  {
    what: "a rate that is too high",
    raise: () => new Error("Rate limit exceeded: 429"),
    kind: "rate_limit",
    says: /limits the rate of requests/,
    isPassing: true,
  },
  {
    what: "a server that is overloaded",
    raise: () => new Error("503 Service Unavailable"),
    kind: "overloaded",
    says: /is overloaded/,
    isPassing: true,
  },
  {
    what: "a network that fails",
    raise: () => new TypeError("net::ERR_CONNECTION_RESET"),
    kind: "network",
    says: /connection to .* failed/,
    isPassing: true,
  },
  {
    what: "a conversation that is too long",
    raise: () => new Error("Message exceeds token limit."),
    kind: "context",
    says: /too long for .*Compact it/,
    isPassing: false,
  },
  {
    what: "an answer that a filter took",
    raise: () => new Error("Response got filtered."),
    kind: "rejected",
    says: /refused the request/,
    isPassing: false,
  },
  {
    what: "something that nobody knows",
    raise: () => new Error("Boom."),
    kind: "unknown",
    says: /failed \(Boom\./,
    isPassing: false,
  },
  { what: "something that is no error", raise: () => "boom", kind: "unknown", says: /failed/, isPassing: false },
];

async function* partsOf(place: Place, raise: () => unknown): AsyncGenerator<EditorAnswerPart> {
  if (place === "inside the text" || place === "after a call") yield { type: "text", text: "So far" };
  if (place === "after a call") yield { type: "call", id: "c1", name: "write_file", input: { path: "/whole" } };
  throw raise();
}

describe("faults of the editor's models", () => {
  /** Runs with a model that raises the first `times`, and answers then. */
  async function ask(place: Place, raise: () => unknown, times: number) {
    const clock = skippingClock();
    let requests = 0;
    const model: EditorModel = {
      ...{ vendor: "copilot", id: "gpt", family: "gpt", name: "GPT", maxInputTokens: 100_000 },
      countTokens: async () => 1,
      send: async ({ messages }) => {
        const isSummary = JSON.stringify(messages).includes("You summarize");
        if (!isSummary) requests += 1;
        if (isSummary || requests > times) {
          return (async function* () {
            yield { type: "text" as const, text: "All is well." };
          })();
        }
        if (place === "when it is asked") throw raise();
        return partsOf(place, raise);
      },
    };
    const limiter = createRateLimiter(() => 8, clock);
    const streamFn = editorStream({ listModels: async () => [model], limiter, pace: clock.timing });
    const outcome = await runOnce(
      streamFn,
      { id: "copilot/gpt", provider: "vscode", contextWindow: 100_000 },
      clock.timing,
    );
    return { ...outcome, requests };
  }

  for (const { what, raise, kind, says, isPassing } of faults) {
    for (const place of places) {
      const hasArrived = place === "inside the text" || place === "after a call";
      it(`${what}, raised ${place}, ends as ${kind} with its message, and no tool runs`, async () => {
        const outcome = await ask(place, raise, 99);
        assert.equal(outcome.reason, "error");
        assert.equal(outcome.errorKind, kind);
        assert.match(outcome.notice ?? "", says);
        assert.deepEqual(outcome.runs, []);
        // A turn that was cut is asked again unless that can't help; a conversation that is too long, made shorter.
        const isFinal = ["auth", "billing", "not_found", "rejected"].includes(kind);
        const expected = kind === "context" ? 2 : hasArrived ? (isFinal ? 1 : 3) : isPassing ? 6 : 1;
        assert.equal(outcome.requests, expected);
        for (const answer of outcome.answers) assert.ok(["", "So far"].includes(textOf(answer)));
      });
    }
    if (!isPassing) continue;
    it(`${what} is over with the answer that follows`, async () => {
      for (const place of places) {
        const outcome = await ask(place, raise, 1);
        assert.equal(outcome.reason, "done", place);
        assert.equal(outcome.requests, 2, place);
        assert.deepEqual(outcome.runs, []);
      }
    });
  }
});
