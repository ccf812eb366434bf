import assert from "node:assert/strict";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import type { ToolContext } from "../../../src/agent/vocabulary/tools.ts";
import { echoTool, testAgent } from "../../support/scriptedAgents.ts";
import { call, calls, text } from "../../support/scriptedModel.ts";

describe("the end of a run and of a call", () => {
  it("A6: listeners learn of the end of a run once", async () => {
    const { agent, events } = testAgent([text("done")]);
    await agent.prompt("hi");
    assert.equal(events.filter((event) => event.type === "agent_end").length, 1);
  });

  it("A39, C31: a tool that has returned can report nothing any more", async () => {
    let kept: ToolContext | undefined;
    const tool = echoTool();
    tool.execute = (_args, context) => {
      kept = context;
      return "ok";
    };
    const { agent, events } = testAgent([call("echo"), text("done")], { tools: [tool] });
    await agent.prompt("hi");
    const told = events.length;
    kept?.reportUsage({ input: 5, cost: 1 });
    kept?.update({ content: "late" });
    kept?.output("late");
    assert.deepEqual([agent.usage.input, agent.usage.cost, events.length], [0, 0, told]);
  });

  it("C16: tools that run learn of an abort, and what they say to it is their result", async () => {
    const running: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()];
    const tools = ["a", "b"].map((name, index) => {
      const tool = echoTool(name);
      tool.execute = (_args, { signal }) => {
        running[index]?.resolve();
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve(`${name} stopped`)));
      };
      return tool;
    });
    const { agent } = testAgent([calls({ name: "a" }, { name: "b" })], { tools, abortGraceMs: 60_000 });
    const stream = agent.send("hi");
    await Promise.all(running.map(({ promise }) => promise));
    await agent.abort();
    const { reason, messages } = await stream.result;
    assert.equal(reason, "aborted");
    assert.deepEqual(messages.slice(2).map(textOf), ["a stopped", "b stopped"]);
  });
});
