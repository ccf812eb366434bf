import assert from "node:assert/strict";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { wireNames } from "../../agent/providers/support.ts";
import type { WireName } from "../../support/fakeProvider/script.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import { type Position, positions, textSoFar, wholePath } from "./faults/positions.ts";
import { type CellOutcome, runCell } from "./faults/runCell.ts";
import { type Fault, faults, valueAt } from "./faults/table.ts";

const wholeAnswer = "All is well.";
const summary = "You summarize";

/** What a position of the table's row says. */
function rowAt(fault: Fault, at: Position) {
  const pick = <T>(values: T | readonly [T, T, T, T, T]) => valueAt(values, at, positions);
  const [ends, requests] = [pick(fault.ends), pick(fault.requests)];
  return {
    ends,
    says: fault.says === undefined ? undefined : pick(fault.says),
    requests,
    told: pick(fault.told ?? (ends === "answer" ? 0 : requests - 1)),
    kept: pick(fault.kept ?? 0),
    requestsOnce: pick(fault.requestsOnce),
    runs: pick(fault.runs ?? 0),
    firstWait: fault.firstWait === undefined ? undefined : pick(fault.firstWait),
  };
}

describe("faults of providers", function () {
  this.timeout(120_000);
  let server: FakeProvider;
  before(async () => {
    server = await startFakeProvider();
  });
  beforeEach(() => server.reset());
  after(() => server.stop());

  const answering = { steps: [{ text: wholeAnswer }] };

  async function cell(fault: Fault, wire: WireName, at: Position, times: number): Promise<CellOutcome> {
    await server.script(
      { when: { system: summary }, reply: { steps: [{ text: "It was long." }] } },
      { when: {}, reply: fault.reply(at), times },
      { when: {}, reply: answering },
    );
    return runCell(server, wire, fault);
  }

  for (const fault of faults) {
    describe(`${fault.number}: ${fault.name}`, () => {
      for (const wire of wireNames) {
        for (const at of positions) {
          const { ends, says, requests, kept, told, requestsOnce, runs, firstWait } = rowAt(fault, at);
          // An answer that is only odd comes once: a model that gives it forever is stopped by its turns.
          const times = ends === "answer" ? 1 : 99;

          it(`${wire}, ${at}: ends as ${ends} after ${requests} requests`, async () => {
            const outcome = await cell(fault, wire, at, times);
            assert.equal(outcome.bodies.length, requests, "requests");
            assert.equal(outcome.reason, ends === "answer" ? "done" : "error", outcome.notice);
            assert.equal(outcome.errorKind, ends === "answer" ? undefined : ends);
            if (says === undefined) assert.equal(outcome.notice, undefined);
            else assert.match(outcome.notice ?? "", says);
            assert.equal(outcome.runs.length, runs, `tools ran: ${outcome.runs}`);
            if (firstWait !== undefined) assert.equal(outcome.waits[0] ?? 0, firstWait, "first wait");
            keepsWhatCame(outcome, kept, at);
            tellsOfEach(outcome, told);
            isSound(outcome, fault);
          });

          if (ends !== "answer" && requestsOnce > 0) {
            it(`${wire}, ${at}: is over with the answer that follows, after ${requestsOnce} requests`, async () => {
              const outcome = await cell(fault, wire, at, 1);
              assert.equal(outcome.reason, "done", outcome.notice);
              assert.equal(outcome.notice, undefined);
              assert.equal(outcome.bodies.length, requestsOnce);
              assert.equal(textOf(outcome.answers.at(-1) ?? assert.fail("no answer")), wholeAnswer);
              assert.deepEqual(outcome.runs, [], "no tool of the broken answer runs");
              isSound(outcome, fault);
            });
          }
        }
      }
    });
  }

  /** What had come stays in the session, marked as failed; of its calls none that could be taken for whole. */
  function keepsWhatCame({ records }: CellOutcome, failed: number, at: Position): void {
    const messages = records.flatMap(({ agent }) => (agent?.type === "message_end" ? [agent.message] : []));
    const [first, ...others] = messages;
    assert.ok(first?.role === "user");
    const answers = others.flatMap((message) => (message.role === "assistant" ? [message] : []));
    assert.equal(answers.filter(({ stopReason }) => stopReason === "error").length, failed, "failed answers kept");
    if (failed === 0) return;
    assert.equal(answers.length, failed, "and no other");
    const arrives = at !== "before the headers" && at !== "after the headers";
    for (const answer of answers) {
      assert.ok(answer.errorMessage);
      const calls = answer.content.flatMap((part) => (part.type === "toolCall" ? [part.arguments] : []));
      for (const args of calls) assert.deepEqual(args, { path: wholePath });
      const text = textOf(answer).trim();
      assert.ok(text === "" || (arrives && text === textSoFar), text);
    }
  }

  /** Every request that is sent again is reported, so that the panel can say so. */
  function tellsOfEach({ records }: CellOutcome, told: number): void {
    const ofType = (type: string) => records.filter(({ agent, host }) => (agent ?? host)?.type === type).length;
    assert.equal(ofType("retry"), told, "told of requests sent again");
    assert.equal(ofType("agent_end"), 1);
    assert.equal(ofType("message_update"), 0, "no deltas in the file");
  }

  function isSound({ events, runs, bodies }: CellOutcome, fault: Fault): void {
    assert.equal("polluted" in {}, false);
    assert.ok(!runs.includes("/cut"), "no tool runs with arguments that were cut");
    const usages = events.filter((event) => event.type === "usage");
    if (fault.number === 61) assert.ok(usages.length < bodies.length, "what nobody counted is unknown");
    for (const { delta } of usages) {
      const { isEstimate: _, ...figures } = delta;
      for (const figure of Object.values(figures)) assert.ok(Number.isFinite(figure));
    }
    for (const body of bodies) assert.doesNotMatch(body, /\\ud[89a-f]/, "halves of characters are repaired");
  }
});
