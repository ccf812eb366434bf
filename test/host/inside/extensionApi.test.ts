import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { ArborApi, ArborEvent, ArborExports } from "../../../api/arbor.d.ts";

const question = "Where is the price computed?";
const answered = /src\/pricing\/computePrice\.ts:\d+/;

describe("Another extension", () => {
  let arbor: ArborApi;
  before(async () => {
    const exports = await vscode.extensions.getExtension<ArborExports>("arbor.arbor-agent")?.activate();
    assert.equal(exports?.version, 1);
    arbor = exports.forExtension("acme.tests");
  });
  beforeEach(() => vscode.commands.executeCommand("arbor.newChat"));

  it("asks an agent, and hears what it does", async () => {
    const heard: ArborEvent[] = [];
    const listening = arbor.onEvent((event) => heard.push(event));
    const { sessionId, text } = await arbor.ask({ prompt: question });
    listening.dispose();
    assert.match(text, answered);
    assert.ok(heard.some(({ type }) => type === "tool_execution_end"));
    assert.ok(heard.every((event) => event.sessionId === sessionId));
  });

  it("adds an agent that can be asked, until it takes it back", async () => {
    const agent = { name: "tester", description: "Tests.", instructions: "Test." };
    const asking = () => arbor.ask({ prompt: question, agent: "tester" });
    await assert.rejects(asking(), /There is no agent "tester"/);
    const registered = arbor.registerAgent(agent);
    assert.notEqual((await asking()).text, "");
    registered.dispose();
    await assert.rejects(asking(), /There is no agent "tester"/);
  });

  it("hands a task over by the language model tool", async () => {
    const tool = vscode.lm.tools.find(({ name }) => name === "arbor_delegate");
    assert.ok(tool);
    const input = { task: question };
    const { content } = await vscode.lm.invokeTool("arbor_delegate", { input, toolInvocationToken: undefined });
    const texts = content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ""));
    assert.match(texts.join(""), answered);
  });
});
