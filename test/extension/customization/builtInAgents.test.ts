import assert from "node:assert/strict";
import { Agent } from "../../../src/agent/agent/agent.ts";
import { AgentRegistry } from "../../../src/agent/agent/registry.ts";
import {
  type AgentSources,
  agentOptions,
  isOffered,
  mainAgent,
  registerAgents,
  shownAgents,
} from "../../../src/extension/customization/agents.ts";
import { createReadVersions, editorTools } from "../../../src/extension/tools/index.ts";
import { inGerman } from "../../support/inGerman.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";
import { scriptedModel } from "../../support/scriptedModel.ts";
import { scriptedReview } from "../../support/scriptedReview.ts";

function arrange(replies: Parameters<typeof scriptedModel>[0], parts: Partial<AgentSources> = {}) {
  const workspace = memoryWorkspace({ files: { "a.ts": "one\n" } });
  const review = scriptedReview(workspace);
  const tools = editorTools({ workspace, review, reads: createReadVersions(), agentPath: () => ["main"] });
  const registry = new AgentRegistry();
  registerAgents(registry, { tools, subAgentModel: () => ({ id: "small", provider: "test" }), ...parts });
  const model = scriptedModel(replies);
  const main = new Agent({
    ...agentOptions(mainAgent, { tools }),
    model: { id: "big", provider: "test" },
    streamFn: model.streamFn,
    registry,
    maxDepth: 3,
  });
  return { main, model, review, registry };
}

const toExplore = { name: "delegate_to_agent", args: { agent: "explore", task: "look", context: "" } };

describe("the built-in agents", () => {
  it("are those that can be delegated to, the main one not among them", () => {
    const { registry } = arrange([]);
    assert.deepEqual(
      registry.list().map((entry) => `${entry.name} ${isOffered(entry.name, [])}`),
      ["edit true", "explore true", "plan false", "review false"],
    );
  });

  it("are described to the user in the user's language, and to agents in English", async () => {
    const { registry } = arrange([]);
    const described = () => shownAgents().map(({ name, description }) => `${name}: ${description}`);
    assert.deepEqual(described(), [
      "explore: Finds out about the workspace without changing it",
      "edit: Carries out one well-described change and reports what you kept",
      "review: Reviews a change: diff, problems, tests",
      "plan: Plans a change and writes the plan to a file",
    ]);
    await inGerman(() => {
      assert.match(described().join("\n"), /^explore: Erkundet .*\nedit: Führt .*\nreview: Prüft .*\nplan: Plant /);
      assert.ok(registry.list().every(({ description }) => /^(Finds out|Carries out|Reviews|Plans)/.test(description)));
    });
  });

  it("give the explorer reading and searching, and the model of sub-agents", async () => {
    const { main, model } = arrange([{ calls: [toExplore] }, { text: "found" }, { text: "done" }]);
    await main.prompt("look");
    const names = model.requests.map((request) => new Set(request.tools.map((tool) => tool.name)));
    assert.ok(names[0]?.has("edit_file") && names[0].has("spawn_agents"));
    assert.ok(names[1]?.has("search_text") && !names[1].has("edit_file") && !names[1].has("write_file"));
    assert.ok(!names[1]?.has("delegate_to_agent") && !names[1]?.has("spawn_agents"));
    assert.deepEqual(
      model.requests.map((request) => request.model.id),
      ["big", "small", "big"],
    );
  });

  it("have what the project says in the prompts of those that work is delegated to", async () => {
    const { main, model } = arrange([{ calls: [toExplore] }, { text: "found" }, { text: "done" }], {
      each: () => ({ projectContext: async () => "Use tabs." }),
    });
    await main.prompt("look");
    assert.match(model.requests[1]?.systemPrompt ?? "", /<project_context>\nUse tabs\.\n<\/project_context>/);
  });

  const to = (agent: string) => ({
    calls: [{ name: "delegate_to_agent", args: { agent, task: "look", context: "" } }],
  });
  const resultsIn = (model: ReturnType<typeof arrange>["model"]) =>
    model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)?.content));

  it("let a reviewer change nothing", async () => {
    const { main, model, review } = arrange([
      to("review"),
      { calls: [{ name: "write_file", args: { path: "b.ts", content: "x" } }] },
      ...[{ text: "passed" }, { calls: [{ name: "get_diagnostics", args: {} }] }, { text: "passed" }, { text: "done" }],
    ]);
    await main.prompt("review it");
    assert.match(resultsIn(model)[3] ?? "", /Before you can end:.*get_diagnostics/);
    assert.deepEqual(review.proposals, []);
    assert.match(resultsIn(model)[2] ?? "", /write_file is not allowed here: the agent review does not have it/);
    assert.ok(!model.requests[1]?.tools.some(({ name }) => /edit|write|delete|move|rename|delegate/.test(name)));
  });

  it("let a planner write its plan, and nothing else", async () => {
    const write = (path: string) => ({ calls: [{ name: "write_file", args: { path, content: "# Plan" } }] });
    const others = ["b.ts", ".agents/plans/../agents/x.md", ".agents/plans/x.sh", "a/b/.agents/plans/x.md"];
    const { main, model, review } = arrange([
      ...[to("plan"), ...others.map(write), write(".agents/plans/rename.md")],
      ...[{ text: "planned" }, { text: "done" }],
    ]);
    await main.prompt("plan it");
    assert.equal(review.proposals.length, 1);
    const refused = resultsIn(model).slice(2, 2 + others.length);
    for (const text of refused) assert.match(text ?? "", /Only a Markdown file in \.agents\/plans can be written here/);
  });

  it("80 let an explorer neither write nor have others write for it", async () => {
    const { main, model, review } = arrange([
      { calls: [toExplore] },
      { calls: [{ name: "delegate_to_agent", args: { agent: "edit", task: "write", context: "" } }] },
      { calls: [{ name: "write_file", args: { path: "b.ts", content: "x" } }] },
      { text: "found" },
      { text: "done" },
    ]);
    await main.prompt("look");
    assert.deepEqual(review.proposals, []);
    const [, , unknown, refused] = model.requests.map(({ messages }) => messages.at(-1));
    assert.ok(unknown?.role === "toolResult" && unknown.isError, "there is no tool to delegate with");
    assert.ok(refused?.role === "toolResult" && refused.isError);
    assert.match(JSON.stringify(refused.content), /only reads and searches/);
  });
});
