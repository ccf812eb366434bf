import assert from "node:assert/strict";
import type { RetryClock } from "../../../src/agent/vocabulary/retries.ts";
import { ofType, recordedAgent, seenType } from "../../support/agents.ts";
import { call, fail, text } from "../../support/scriptedModel.ts";

/** Waits that a test ends, noted as they begin. */
function heldClock() {
  const waits: number[] = [];
  const ends: (() => void)[] = [];
  const clock: RetryClock = {
    random: () => 0,
    wait: (delayMs) => {
      waits.push(delayMs);
      return new Promise((resolve) => ends.push(resolve));
    },
  };
  return { clock, waits, endWait: () => ends.shift()?.() };
}

/** Waits that are over at once, noted. */
function skippedWaits() {
  const waits: number[] = [];
  const clock: RetryClock = { random: () => 0, wait: async (delayMs) => void waits.push(delayMs) };
  return { clock, waits };
}

const cut = (words: string, more = {}) => fail("reset", { text: words, ...more });

describe("a turn that is asked again", () => {
  it("is asked after waits that grow, as its events say", async () => {
    const { clock, waits } = skippedWaits();
    const script = [cut("a"), cut("b"), cut("c"), text("whole")];
    const { agent, events } = recordedAgent(script, { turnRetries: 3, clock });
    assert.equal((await agent.prompt("hi")).reason, "done");
    assert.deepEqual(waits, [500, 1_000, 2_000]);
    assert.deepEqual(
      ofType(events, "retry").map(({ attempt, delayMs }) => [attempt, delayMs]),
      [
        [1, 500],
        [2, 1_000],
        [3, 2_000],
      ],
    );
  });

  it("waits as long as the provider asked", async () => {
    const { clock, waits } = skippedWaits();
    const { agent } = recordedAgent([cut("a", { retryAfterMs: 7_000 }), text("whole")], { turnRetries: 1, clock });
    await agent.prompt("hi");
    assert.deepEqual(waits, [7_000]);
  });

  it("comes back at another moment than others", async () => {
    const { clock, waits } = skippedWaits();
    const { agent } = recordedAgent([cut("a"), text("whole")], {
      turnRetries: 1,
      clock: { ...clock, random: () => 1 },
    });
    await agent.prompt("hi");
    assert.deepEqual(waits, [375]);
  });

  it("waits as if nothing was said where a provider or a clock gives what is no time", async () => {
    // What the types forbid, JavaScript lets happen.
    const odd = [42, -1, Number.NaN, "soon", Promise.resolve(2)] as number[];
    for (const value of odd) {
      const { clock, waits } = skippedWaits();
      const script = [cut("a", { retryAfterMs: Number.NaN }), cut("b", { retryAfterMs: -5 }), text("whole")];
      const { agent } = recordedAgent(script, { turnRetries: 2, clock: { ...clock, random: () => value } });
      await agent.prompt("hi");
      assert.deepEqual(waits, [500, 1_000]);
    }
  });

  it("begins with short waits again in the next turn", async () => {
    const { clock, waits } = skippedWaits();
    const script = [cut("a"), cut("b"), call("gone"), cut("c"), text("whole")];
    const { agent } = recordedAgent(script, { turnRetries: 2, clock });
    await agent.prompt("hi");
    assert.deepEqual(waits, [500, 1_000, 500]);
  });

  it("is not asked while it waits, and no more once the run was stopped", async () => {
    const { clock, waits } = heldClock();
    const { agent, requests } = recordedAgent([cut("a"), text("never")], { turnRetries: 1, clock });
    const retried = seenType(agent, "retry");
    const run = agent.send("hi").result;
    await retried;
    while (waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(requests.length, 1);
    await agent.abort();
    assert.equal((await run).reason, "aborted");
    assert.equal(requests.length, 1);
  });

  it("is asked as soon as the wait is over", async () => {
    const { clock, waits, endWait } = heldClock();
    const { agent, requests } = recordedAgent([cut("a"), text("whole")], { turnRetries: 1, clock });
    const run = agent.prompt("hi");
    while (waits.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(requests.length, 1);
    endWait();
    assert.equal((await run).reason, "done");
  });

  it("waits by its parent's clock in a sub-agent", async () => {
    const { clock, waits } = skippedWaits();
    const { agent } = recordedAgent([cut("half"), text("whole")], { turnRetries: 1, clock, name: "child" });
    const parent = recordedAgent([call("child", { input: "go" }), text("done")], {
      tools: [agent.asTool()],
      turnRetries: 1,
      clock,
    });
    await parent.agent.prompt("hi");
    assert.deepEqual(waits, [500]);
  });
});
