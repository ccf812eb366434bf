import assert from "node:assert/strict";
import { factsOf, failure as failureOf } from "../../../src/agent/providers/shared/failure.ts";
import { errorSentences } from "../../../src/agent/providers/shared/providerErrorText.ts";
import type { AgentEvent, AssistantMessage, ErrorCode, ErrorFacts } from "../../../src/agent/types.ts";
import { transcriptText } from "../../../src/extension/chat/agents/transcriptText.ts";
import { errorMessageOf, errorWords } from "../../../src/extension/models/errorWords.ts";
import { failedRequestProblem } from "../../../src/extension/models/problems.ts";
import { knownProviders } from "../../../src/extension/models/providerSettings.ts";
import { inUsersWords, messageInUsersWords } from "../../../src/extension/panel/channel/stripEntry.ts";
import { rootMeta } from "../../support/events.ts";
import { inGerman } from "../../support/inGerman.ts";

/** Every code with what comes with it. */
const values: Record<ErrorCode, Omit<ErrorFacts, "code" | "provider" | "model">> = {
  key_rejected: { said: "bad key" },
  not_allowed: { said: "no" },
  billing: { said: "quota", page: "https://pay.test" },
  not_found: { host: "api.test", said: "gone" },
  rate_limit: { said: "slow" },
  overloaded: { said: "busy" },
  too_long: { said: "9000 tokens" },
  rejected: { said: "bad schema" },
  failed: { status: 500, said: "oops", requestId: "req-1" },
  unreachable: { host: "api.test", said: "ECONNREFUSED" },
  cut: { said: "reset" },
  stalled: { seconds: 120 },
  malformed: {},
  web_page: { host: "api.test" },
  restarted: {},
  bad_arguments: { toolName: "edit_file" },
  missing_calls: {},
  empty: {},
  refused: { said: "harmful" },
  unknown_finish: { said: "why_not" },
  missing_key: {},
  unknown_provider: { known: ["openai", "ollama"] },
  aborted: {},
  ended_early: {},
  unexplained: {},
};

const names = { provider: "Acme", model: "Acme One" };
// Object.entries widens the keys, which are the record's own.
const codes = Object.keys(values) as ErrorCode[];
const sparse: ErrorFacts[] = codes.map((code) => ({ code, ...names }));
const all: ErrorFacts[] = [...codes.map((code) => ({ code, ...names, ...values[code] })), ...sparse];

const failure: AssistantMessage = {
  ...{ role: "assistant", id: "m", content: [], model: "one", provider: "acme", stopReason: "error", timestamp: 0 },
  ...{ errorMessage: "Acme is overloaded (busy). Retry in a while, or pick another model.", errorKind: "overloaded" },
  errorFacts: { code: "overloaded", ...names, said: "busy" },
};
const german = "Acme ist überlastet (busy). Wiederholen Sie in Kürze, oder wählen Sie ein anderes Modell.";

describe("the words of a failed request", () => {
  it("are in English what logs and models read, for every failure", () => {
    for (const facts of all) {
      if (facts.seconds === undefined && facts.code === "stalled") continue;
      const { what, advice } = errorSentences(facts);
      assert.deepEqual(errorWords(facts), { what: `${what}.`, advice: `${advice}.` }, facts.code);
    }
  });

  it("are German in a German editor, with what was said as it was said", () =>
    inGerman(() => {
      for (const facts of all) {
        const english = errorSentences(facts);
        const { what, advice } = errorWords(facts);
        assert.notEqual(what, `${english.what}.`, facts.code);
        assert.notEqual(advice, `${english.advice}.`, facts.code);
        assert.doesNotMatch(`${what}${advice}`, /\{\d\}/);
        for (const value of [facts.said, facts.host, facts.requestId, facts.toolName, facts.page]) {
          const isTold = `${what} ${advice}`.includes(value ?? "");
          assert.ok(isTold, `${facts.code} tells ${value}`);
        }
      }
      assert.equal(errorMessageOf(failure), german);
      assert.equal(failedRequestProblem(failure)?.text, german);
      assert.match(transcriptText([failure]), /ist überlastet/);
    }));

  it("are what the panel is sent, while the log keeps them as they were", () =>
    inGerman(() => {
      const base = { agent: rootMeta, sessionId: "s", runId: "r", seq: 1, timestamp: 0 };
      const told: Record<string, unknown> = { ...failure, errorMessage: german };
      delete told.errorFacts;
      const events: [AgentEvent, unknown][] = [
        [
          { ...base, type: "message_end", message: failure },
          { ...base, type: "message_end", message: told },
        ],
        [
          {
            ...base,
            type: "retry",
            attempt: 1,
            delayMs: 5,
            error: "Acme is overloaded (busy).",
            errorFacts: { code: "overloaded", ...names },
          },
          { ...base, type: "retry", attempt: 1, delayMs: 5, error: "Acme ist überlastet." },
        ],
        [
          { ...base, type: "retry", attempt: 1, delayMs: 5, error: "as it is" },
          { ...base, type: "retry", attempt: 1, delayMs: 5, error: "as it is" },
        ],
      ];
      for (const [event, sent] of events) {
        const kept = structuredClone(event);
        assert.deepEqual(inUsersWords(event), sent);
        assert.deepEqual(event, kept);
      }
      assert.deepEqual(messageInUsersWords(failure), told);
    }));

  it("stay as they are where no one gave the facts", () =>
    inGerman(() => {
      const { errorFacts: _none, ...plain } = failure;
      assert.equal(errorMessageOf(plain), plain.errorMessage);
      assert.equal(messageInUsersWords(plain), plain);
    }));
});

describe("the name of a provider in an error", () => {
  it("is the one in settings and pickers", () => {
    for (const { id, label, wire } of knownProviders) {
      if (wire === "vscode") continue;
      const stalled = failureOf("network", { type: "stalled", idleMs: 1 }, true);
      const target = { model: { id: "m", provider: id }, host: "api.test", mask: (text: string) => text };
      assert.equal(factsOf(stalled, target).provider, label);
    }
  });
});
