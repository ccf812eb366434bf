import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { Agent } from "../../../src/agent/agent/agent.ts";
import { AgentRegistry } from "../../../src/agent/agent/registry.ts";
import { type AgentMessage, userMessage } from "../../../src/agent/vocabulary/messages.ts";
import type { ModelRequest } from "../../../src/agent/vocabulary/model.ts";
import { modeNote, planModeHooks, withNotes } from "../../../src/extension/approvals/planMode.ts";
import { agentOptions, mainAgent, registerAgents } from "../../../src/extension/customization/agents.ts";
import { planNote } from "../../../src/extension/prompts/modeNotes.ts";
import {
  createReadVersions,
  editorTools,
  isEditorTool,
  planToolNames,
  readOnlyToolNames,
} from "../../../src/extension/tools/index.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";
import { scriptedModel } from "../../support/scriptedModel.ts";
import { scriptedReview } from "../../support/scriptedReview.ts";

/** The names of all tools of the editor, sorted. */
async function definedTools(): Promise<string[]> {
  const folder = path.resolve(import.meta.dirname, "../../../src/extension/tools");
  const files = (await readdir(folder)).filter((name) => name.endsWith(".ts"));
  const sources = await Promise.all(files.map((name) => readFile(path.join(folder, name), "utf8")));
  return sources.flatMap((source) => /defineEditorTool\(\s*\{ name: "(\w+)"/.exec(source)?.[1] ?? []).sort();
}

const write = { name: "write_file", args: { path: "b.ts", content: "x" } };
const toEditor = { name: "delegate_to_agent", args: { agent: "edit", task: "write", context: "" } };

function arrange(replies: Parameters<typeof scriptedModel>[0]) {
  const workspace = memoryWorkspace({ files: { "a.ts": "one\n" } });
  const review = scriptedReview(workspace);
  const tools = editorTools({ workspace, review, reads: createReadVersions(), agentPath: () => ["main"] });
  const registry = new AgentRegistry();
  const mode = { isPlanning: true };
  registerAgents(registry, { tools, isPlanning: () => mode.isPlanning });
  const model = scriptedModel(replies);
  const main = new Agent({
    ...agentOptions(mainAgent, { tools }),
    hooks: planModeHooks(() => mode.isPlanning, planToolNames),
    model: { id: "big", provider: "test" },
    streamFn: model.streamFn,
    registry,
    maxDepth: 3,
  });
  return { main, model, review, workspace, mode, tools };
}

describe("plan mode", () => {
  const isOn = /Plan mode is on/;
  const isOff = /Plan mode is off/;
  const read = { name: "read_file", args: { path: "a.ts" } };
  /** As a chat sends it. */
  const say = (main: Agent, words: string, isPlanning: boolean) => {
    const { messages, systemPrompt } = main.state;
    return main.prompt(withNotes(userMessage(words), [modeNote({ messages, systemPrompt }, isPlanning)]));
  };
  const notesIn = (request: ModelRequest | undefined) =>
    (request?.messages ?? []).flatMap((message) =>
      message.content.flatMap((part) =>
        part.type === "text" ? (part.text.match(/Plan mode is (on|off)/g) ?? []) : [],
      ),
    );

  it("is announced with the first message, once, and its end with the message after it", async () => {
    const { main, model } = arrange([{ text: "a plan" }, { text: "more" }, { text: "done" }, { text: "bye" }]);
    await say(main, "plan it", true);
    await say(main, "and more", true);
    await say(main, "do it", false);
    await say(main, "thanks", false);
    assert.deepEqual(model.requests.map(notesIn), [
      ["Plan mode is on"],
      ["Plan mode is on"],
      ["Plan mode is on", "Plan mode is off"],
      ["Plan mode is on", "Plan mode is off"],
    ]);
  });

  it("asks for a plan of what is to be done, and for nothing but the answer to a question", async () => {
    const { main, model } = arrange([{ text: "It is in a.ts." }]);
    await say(main, "where is it?", true);
    const said = JSON.stringify(model.requests[0]?.messages);
    assert.match(said, /A question simply gets its answer, without a plan\. For a task, .* answer with the plan/);
  });

  it("is announced in the middle of a run with the next result, of several calls with the first, and its end likewise", async () => {
    const { main, model, mode } = arrange([
      { calls: [read, read] },
      { calls: [read] },
      { calls: [read] },
      { text: "a plan" },
    ]);
    mode.isPlanning = false;
    const modes = [false, true, true, false];
    main.subscribe((event) => {
      if (event.type === "turn_start") mode.isPlanning = modes[event.index + 1] ?? false;
    });
    await say(main, "do it", false);
    const results = model.requests.at(-1)?.messages.filter(({ role }) => role === "toolResult") ?? [];
    const told = results.map((result) =>
      isOn.test(JSON.stringify(result)) ? "on" : isOff.test(JSON.stringify(result)) ? "off" : "",
    );
    assert.deepEqual(told, ["on", "", "", "off"]);
  });

  it("never changes what a request has in common with the one before", async () => {
    const { main, model, mode } = arrange([{ calls: [read] }, { text: "one" }, { calls: [read] }, { text: "two" }]);
    for (const isPlanning of [true, false]) {
      mode.isPlanning = isPlanning;
      await say(main, "go on", isPlanning);
      mode.isPlanning = !isPlanning;
    }
    for (const [at, request] of model.requests.entries()) {
      const next = model.requests[at + 1];
      if (next === undefined) continue;
      assert.equal(next.systemPrompt, request.systemPrompt);
      assert.deepEqual(next.messages.slice(0, request.messages.length), request.messages);
    }
  });

  it("is announced again when the summary of a long conversation has taken its place", () => {
    const told = [withNotes(userMessage("plan"), [planNote])];
    const heard = { messages: told, systemPrompt: "" };
    assert.equal(modeNote(heard, true), undefined);
    assert.match(modeNote(heard, false) ?? "", isOff);
    const summary: AgentMessage = { role: "summary", id: "s", text: "It went on.", timestamp: 0 };
    assert.equal(modeNote({ messages: [...told, summary], systemPrompt: "" }, true), planNote);
    assert.equal(modeNote({ messages: [...told, summary], systemPrompt: "" }, false), undefined);
  });

  it("is in the instructions of an agent that work is delegated to meanwhile, and of none before", async () => {
    const { main, model, mode } = arrange([
      { calls: [toEditor] },
      { text: "planned" },
      { calls: [toEditor] },
      { text: "done" },
      { text: "done" },
    ]);
    main.subscribe((event) => {
      if (event.type === "turn_end" && event.agent.depth === 0) mode.isPlanning = false;
    });
    await main.prompt("do it");
    const prompts = model.requests.map(({ systemPrompt }) => isOn.test(systemPrompt));
    assert.deepEqual(prompts, [false, true, false, false, false]);
  });

  const writePlan = { name: "write_file", args: { path: ".agents/plans/a.md", content: "# A" } };
  for (const agent of ["edit", "explore", "plan"]) {
    it(`is announced to ${agent} in the middle of its work, with its next result, and its end likewise`, async () => {
      const { main, model, mode } = arrange([
        { calls: [{ name: "delegate_to_agent", args: { agent, task: "look", context: "" } }] },
        ...[{ calls: [read] }, { calls: [read] }, { calls: [read] }],
        // Without its plan, the planner could not end.
        ...(agent === "plan" ? [{ calls: [writePlan] }] : []),
        ...[{ text: "seen" }, { text: "done" }],
      ]);
      mode.isPlanning = false;
      const modes = [false, true, true, false];
      main.subscribe((event) => {
        if (event.type === "turn_start" && event.agent.depth === 1) mode.isPlanning = modes[event.index + 1] ?? false;
      });
      await main.prompt("do it");
      const [, ...ofAgent] = model.requests.slice(0, -1);
      assert.deepEqual(ofAgent.slice(0, 4).map(notesIn), [
        [],
        ["Plan mode is on"],
        ["Plan mode is on"],
        ["Plan mode is on", "Plan mode is off"],
      ]);
      assert.deepEqual(notesIn(model.requests.at(-1)), [], "main heard of neither: it is as it was");
    });
  }

  it("refuses an edit of the root agent, and says what the user has chosen", async () => {
    const { main, model, review } = arrange([{ calls: [write] }, { text: "Here is the plan." }]);
    await main.prompt("do it");
    assert.deepEqual(review.proposals, []);
    assert.match(JSON.stringify(model.requests[1]?.messages.at(-1)), /write_file is not allowed in plan mode/);
  });

  it("refuses in the same words what is not even offered, of the root agent and of whomever the work is handed to", async () => {
    const { workspace, review } = arrange([]);
    const { readOnly } = editorTools({
      ...{ workspace, review, reads: createReadVersions() },
      agentPath: () => ["main"],
    });
    const model = scriptedModel([
      { calls: [write, { name: "toString" }] },
      { calls: [toEditor] },
      { calls: [write] },
      { text: "could not" },
      { text: "planned" },
    ]);
    const registry = new AgentRegistry();
    registerAgents(registry, { tools: { readOnly, all: readOnly }, isPlanning: () => true });
    const main = new Agent({
      ...agentOptions(mainAgent, { tools: { readOnly, all: readOnly } }),
      hooks: planModeHooks(() => true, planToolNames, { isEditorTool }),
      model: { id: "big", provider: "test" },
      streamFn: model.streamFn,
      registry,
    });
    await main.prompt("do it");
    const results = model.requests.flatMap(({ messages }) =>
      messages.slice(-2).filter(({ role }) => role === "toolResult"),
    );
    const texts = results.map((result) => JSON.stringify(result.content));
    const isRefused = (text = "") => /write_file is not allowed in plan mode.*Describe the change/.test(text);
    assert.deepEqual(
      [isRefused(texts[0]), /Unknown tool \\"toString\\"/.test(texts[1] ?? ""), texts.filter(isRefused).length],
      [true, true, 2],
    );
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

  it("allows the tools that look at the workspace, and those that only talk", async () => {
    const acting = [
      ...["edit_file", "apply_patch", "write_file", "delete_file", "move_file", "rename_symbol"],
      ...["run_command", "stop_command", "fetch_url"],
    ];
    const talking = ["read_output", "update_plan", "ask_user"];
    const all = await definedTools();
    const looking = all.filter((name) => !acting.includes(name) && !talking.includes(name));
    assert.equal(looking.length + acting.length + talking.length, all.length, "each that acts or talks is a tool");
    const { readOnly } = arrange([]).tools;
    assert.deepEqual(readOnly.map(({ name }) => name).sort(), looking);
    assert.deepEqual([...readOnlyToolNames].sort(), looking);
    assert.deepEqual([...planToolNames].sort(), [...looking, ...talking].sort());
  });
});
