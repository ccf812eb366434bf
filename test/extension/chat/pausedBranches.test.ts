import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { tool } from "../../support/agents.ts";
import { arrangedRuns, byName } from "../../support/chatRuns.ts";
import { call, type Reply, text } from "../../support/scriptedModel.ts";

/** A tool whose first call waits until the test lets it end. */
function gate(name: string) {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const execute = async () => {
    begin();
    await opened;
    return "seen";
  };
  return { tool: tool(name, execute), begun, open: () => open() };
}

/** Long enough for whatever is about to happen without being asked. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

const delegations: Reply = call("spawn_agents", {
  tasks: ["left", "right"].map((agent) => ({ agent, task: "do it", context: "" })),
});

describe("a paused branch", () => {
  it("finishes its tools and makes no request until it is resumed", async () => {
    const looking = gate("look");
    const arranged = arrangedRuns([call("look"), text("end")], { main: { tools: [looking.tool] } });
    const run = arranged.agent.send("go").result;
    await looking.begun;
    arranged.runs.pause(arranged.agent.id);
    assert.deepEqual(arranged.host().pausedBranches, [arranged.agent.id]);
    looking.open();
    await settled();
    assert.ok(arranged.events.some(({ type }) => type === "tool_execution_end"));
    assert.equal(arranged.requests.length, 1);
    arranged.runs.resumePaused(arranged.agent.id);
    assert.equal((await run).reason, "done");
    assert.equal(arranged.requests.length, 2);
    assert.deepEqual(arranged.host().pausedBranches, []);
  });

  it("holds up neither its siblings nor, once it is stopped, its parent", async () => {
    const script = byName({
      main: [delegations, text("all done")],
      left: [text("never")],
      right: [text("right is done")],
    });
    const arranged = arrangedRuns(script, { agents: ["left", "right"] });
    let left = "";
    arranged.agent.subscribe(({ type, agent }) => {
      if (type !== "agent_start" || agent.name !== "left") return;
      left = agent.id;
      arranged.runs.pause(left);
    });
    const run = arranged.agent.send("go").result;
    await settled();
    const ended = (name: string) =>
      arranged.events.some(({ type, agent }) => type === "agent_end" && agent.name === name);
    assert.equal(ended("right"), true);
    assert.equal(ended("left"), false);
    assert.deepEqual(
      arranged.requests.map(({ model }) => model.id),
      ["main", "right"],
    );
    await arranged.agent.find(left)?.abort();
    assert.equal((await run).reason, "done");
    assert.deepEqual(arranged.host().pausedBranches, []);
  });

  it("is not paused any more when another run begins", async () => {
    const arranged = arrangedRuns([text("first"), text("second")]);
    arranged.runs.pause(arranged.agent.id);
    await arranged.agent.prompt("go");
    assert.deepEqual(arranged.host().pausedBranches, []);
    assert.equal(arranged.requests.length, 1);
  });
});
