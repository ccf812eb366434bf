import assert from "node:assert/strict";
import { Agent } from "../../../src/agent/agent.ts";
import { AgentRegistry } from "../../../src/agent/registry.ts";
import { agentOptions, mainAgent, registerAgents } from "../../../src/extension/customization/agents.ts";
import { planModeHooks } from "../../../src/extension/permissions/planMode.ts";
import { createReadVersions, editorTools, readOnlyToolNames } from "../../../src/extension/tools/index.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";
import { scriptedModel } from "../../support/scriptedModel.ts";
import { scriptedReview } from "../../support/scriptedReview.ts";

const write = { name: "write_file", args: { path: "b.ts", content: "x" } };
const toEditor = { name: "delegate_to_agent", args: { agent: "edit", task: "write", context: "" } };

function arrange(replies: Parameters<typeof scriptedModel>[0]) {
  const workspace = memoryWorkspace({ files: { "a.ts": "one\n" } });
  const review = scriptedReview(workspace);
  const tools = editorTools({ workspace, review, reads: createReadVersions(), agentPath: () => ["main"] });
  const registry = new AgentRegistry();
  registerAgents(registry, { tools });
  const mode = { isPlanning: true };
  const model = scriptedModel(replies);
  const main = new Agent({
    ...agentOptions(mainAgent, { tools }),
    hooks: planModeHooks(() => mode.isPlanning, readOnlyToolNames),
    model: { id: "big", provider: "test" },
    streamFn: model.streamFn,
    registry,
    maxDepth: 3,
  });
  return { main, model, review, mode, tools };
}

describe("plan mode", () => {
  it("refuses an edit of the root agent, and says what the user has chosen", async () => {
    const { main, model, review } = arrange([{ calls: [write] }, { text: "Here is the plan." }]);
    await main.prompt("do it");
    assert.deepEqual(review.proposals, []);
    assert.match(JSON.stringify(model.requests[1]?.messages.at(-1)), /write_file is not allowed in plan mode/);
  });

  it("refuses an edit of whomever the work is handed to", async () => {
    const { main, review, model } = arrange([
      { calls: [toEditor] },
      { calls: [write] },
      { text: "could not" },
      { text: "done" },
    ]);
    await main.prompt("do it");
    assert.deepEqual(review.proposals, []);
    assert.match(JSON.stringify(model.requests[2]?.messages.at(-1)), /plan mode/);
  });

  it("lets agents read, and lets the same agent write once it is left", async () => {
    const read = { name: "read_file", args: { path: "a.ts" } };
    const { main, review, model, mode } = arrange([
      { calls: [read] },
      { text: "planned" },
      { calls: [write] },
      { text: "done" },
    ]);
    await main.prompt("plan it");
    assert.match(JSON.stringify(model.requests[1]?.messages.at(-1)), /one/);
    mode.isPlanning = false;
    await main.prompt("do it");
    assert.equal(review.proposals.length, 1);
  });

  it("knows every tool that only looks", () => {
    assert.deepEqual(
      arrange([]).tools.readOnly.map(({ name }) => name),
      [...readOnlyToolNames],
    );
  });
});
