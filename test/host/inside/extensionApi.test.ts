import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { ArborApi, ArborEvent, ArborExports, ArborModelRequest } from "../../../api/arbor.d.ts";

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

  it("asks an agent, and gets its events", async () => {
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

  it("takes a task back that the editor cancels", async () => {
    const cancel = new vscode.CancellationTokenSource();
    const started = Promise.withResolvers<string>();
    const ended = Promise.withResolvers<unknown>();
    const listening = arbor.onEvent(({ type, reason, sessionId }) => {
      if (type === "agent_start") started.resolve(sessionId);
      if (type === "agent_end") ended.resolve(reason);
    });
    const input = { task: question };
    const running = vscode.lm.invokeTool("arbor_delegate", { input, toolInvocationToken: undefined }, cancel.token);
    await started.promise;
    cancel.cancel();
    await Promise.allSettled([running]);
    assert.equal(await ended.promise, "aborted");
    listening.dispose();
  });
});

/** What test/fixtures/second-extension exports. */
interface Second {
  heard: string[];
  ask(input: { prompt: string; agent?: string }): Promise<{ text: string }>;
  delegate(task: string): Promise<string>;
  deactivate(): void;
}

describe("A second extension that is installed", () => {
  let second: Second;
  before(async () => {
    second = (await vscode.extensions.getExtension<Second>("acme.second")?.activate()) ?? assert.fail();
  });
  beforeEach(() => vscode.commands.executeCommand("arbor.newChat"));

  it("asks its own agent, hands a task over by our tool, and gets the events of both", async () => {
    assert.notEqual((await second.ask({ prompt: question, agent: "second" })).text, "");
    second.heard.length = 0;
    assert.match(await second.delegate(question), answered);
    assert.ok(second.heard.includes("agent_end"));
    assert.ok(vscode.lm.tools.some(({ name }) => name === "acme_count"));
  });

  it("has its tool for language models called by an agent of Arbor where that is switched on and allowed", async () => {
    const arbor = vscode.extensions.getExtension<ArborExports>("arbor.arbor-agent")?.exports.forExtension("acme.tests");
    const sent: ArborModelRequest[] = [];
    const model = arbor?.registerModel({
      ...{ id: "counting", name: "Counting", maxInputTokens: 100_000 },
      async *respond(request) {
        sent.push(request);
        const offered = new Set(request.tools.map(({ name }) => name));
        const [name, input] = ["editor__acme_count", { text: "four" }];
        // Of many tools there are two in their place.
        const isFound = offered.has("use_tool");
        if (JSON.stringify(request.messages.at(-1)).includes('"result"')) yield { type: "text", text: "Counted." };
        else if (offered.has(name)) yield { type: "call", id: "1", name, input };
        else if (isFound) yield { type: "call", id: "1", name: "use_tool", input: { name, arguments: input } };
        else yield { type: "text", text: `No tool among ${[...offered].join(" ")}` };
      },
    });
    const settings = vscode.workspace.getConfiguration("arbor");
    const change = async (values: Record<string, unknown>) => {
      for (const [key, value] of Object.entries(values))
        await settings.update(key, value, vscode.ConfigurationTarget.Global);
    };
    await change({ model: "vscode/acme.tests/counting" });
    try {
      assert.match((await second.ask({ prompt: "Count it." })).text, /^No tool among .*read_file/);
      await change({ languageModelTools: true, "permissions.allow": ["mcp(editor:acme_count)"] });
      assert.equal((await second.ask({ prompt: "Count it now." })).text, "Counted.");
      assert.match(JSON.stringify(sent.at(-1)?.messages.at(-1)), /Data from the extension editor.*\\n4"/);
    } finally {
      await change({ model: undefined, languageModelTools: undefined, "permissions.allow": undefined });
      model?.dispose();
    }
  });

  it("leaves nothing behind when it is deactivated, and can't break what goes on", async () => {
    second.deactivate();
    second.heard.length = 0;
    await assert.rejects(second.ask({ prompt: question, agent: "second" }), /There is no agent "second"/);
    assert.notEqual((await second.ask({ prompt: question })).text, "");
    assert.deepEqual(second.heard, []);
    await assert.rejects(async () =>
      vscode.lm.invokeTool("acme_count", { input: { text: "abc" }, toolInvocationToken: undefined }),
    );
  });
});
