import assert from "node:assert/strict";
import type { Effect } from "../../../src/agent/vocabulary/hooks.ts";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { tool, typesOf } from "../../support/agents.ts";
import { testAgent } from "../../support/scriptedAgents.ts";
import { call, hang, text } from "../../support/scriptedModel.ts";

const stopping = (finalRequest: boolean): Effect => ({
  before(info) {
    if (info.iteration === 1) info.stop("limit", { limit: "time", limitText: "no time is left", finalRequest });
  },
});

describe("a limit that an effect keeps", () => {
  const look = tool("look");

  it("ends the run at once, with the best text there is and the limit in its own words", async () => {
    const { agent, requests } = testAgent([{ text: "Half.", calls: [{ name: "look" }] }], {
      tools: [look],
      effects: [stopping(false)],
    });
    const { reason, result, limit, limitText } = await agent.send("go").result;
    assert.deepEqual(
      { reason, result, limit, limitText },
      { reason: "limit", result: "Half.", limit: "time", limitText: "no time is left" },
    );
    assert.equal(requests.length, 1);
  });

  it("may leave one last request, which says so and whose calls are refused", async () => {
    const { agent, requests } = testAgent([call("look"), { text: "Half.", calls: [{ name: "look" }] }], {
      tools: [look],
      effects: [stopping(true)],
    });
    const { reason, result } = await agent.send("go").result;
    assert.deepEqual({ reason, result }, { reason: "limit", result: "Half." });
    const told = requests[1]?.messages.at(-1);
    assert.match(told === undefined ? "" : textOf(told), /last message in this run: no time is left/);
    const refused = agent.messages.at(-1);
    assert.ok(refused?.role === "toolResult" && refused.isError);
  });
});

describe("maintenance", () => {
  it("runs effects on an idle agent without a request, and reports a whole run", async () => {
    const { agent, requests, events } = testAgent([text("one")]);
    await agent.prompt("go");
    events.length = 0;
    const seen: number[] = [];
    const { reason } = await agent.maintain([{ before: (info) => void seen.push(info.transcript.list().length) }]);
    assert.deepEqual({ reason, seen, asked: requests.length }, { reason: "done", seen: [2], asked: 1 });
    assert.deepEqual(typesOf(events), ["agent_start", "turn_start", "agent_end"]);
  });

  it("is refused while the agent runs, and after it was disposed", async () => {
    const { agent } = testAgent([hang()]);
    const run = agent.send("go").result;
    assert.equal((await agent.maintain([])).error?.code, "busy");
    await agent.abort();
    await run;
    await agent.dispose();
    assert.equal((await agent.maintain([])).error?.code, "scope_closed");
  });

  it("leaves what was queued before where it is, and starts with what is queued meanwhile", async () => {
    const { agent, requests } = testAgent([text("one"), text("two")]);
    await agent.prompt("go");
    await agent.maintain([{ before: () => void agent.followUp("later") }]);
    await agent.waitForIdle();
    assert.equal(requests.length, 2);
    agent.steer("waits");
    await agent.maintain([]);
    await agent.waitForIdle();
    assert.equal(requests.length, 2);
    assert.ok(agent.hasQueued);
  });
});

describe("a request beside the conversation", () => {
  it("can be left without ending the run", async () => {
    const left = new AbortController();
    let stopReason: string | undefined;
    const asking: Effect = {
      async before(info) {
        const answer = info.complete({ systemPrompt: "", messages: [], tools: [] }, { signal: left.signal });
        left.abort();
        stopReason = (await answer).stopReason;
      },
    };
    const { agent } = testAgent([hang(), text("done")], { effects: [asking] });
    assert.equal(textOf(await agent.run("go")), "done");
    assert.equal(stopReason, "aborted");
  });
});
