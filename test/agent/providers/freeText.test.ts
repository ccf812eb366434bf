import assert from "node:assert/strict";
import type { AssistantMessage, ToolDefinition } from "../../../src/agent/vocabulary/messages.ts";
import type { Model, ModelRequest, StreamEvent } from "../../../src/agent/vocabulary/model.ts";
import type { Step, WireName } from "../../support/fakeProvider/script.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import { callsOf, fetchOf, hear, providerAt, toolResult, user } from "./support.ts";

const patching: Model = { id: "gpt-6-astra", provider: "test" };
const patch = '*** Begin Patch\n*** Add File: a.ts\n+const a = "\\t😀";\n*** End Patch\n';
const tools: ToolDefinition[] = [
  { name: "read", description: "Reads.", parameters: { type: "object" } },
  {
    name: "apply_patch",
    description: "Patches.",
    parameters: { type: "object", properties: { patch: { type: "string" } } },
    freeText: { argument: "patch", grammar: "start: /.+/" },
  },
];

function answered(...content: AssistantMessage["content"]): AssistantMessage {
  const { id, provider } = patching;
  return { role: "assistant", id: "answer", content, model: id, provider, stopReason: "toolUse", timestamp: 0 };
}

/** A conversation with a patch and a call of another tool. */
const conversation: ModelRequest = {
  systemPrompt: "Be brief.",
  tools,
  messages: [
    user("Go"),
    answered(
      { type: "toolCall", id: "p", name: "apply_patch", arguments: { patch } },
      { type: "toolCall", id: "r", name: "read", arguments: { path: "a" } },
    ),
    toolResult("p", "Edited."),
    toolResult("r", "A"),
  ],
};

describe("A tool that is called by free text", () => {
  let server: FakeProvider;
  before(async () => {
    server = await startFakeProvider();
  });
  beforeEach(() => server.reset());
  after(() => server.stop());

  const done = { steps: [{ text: "Done." }] };
  const ask = (wire: WireName, request = conversation, model = patching) =>
    hear(providerAt(wire, server.url), request, {}, model);
  async function bodies(): Promise<Record<string, { type?: string }[]>[]> {
    return (await server.requests()).map(({ body }) => JSON.parse(JSON.stringify(body)));
  }

  it("is offered by its grammar, and its calls and results are written as they were", async () => {
    await server.script(done);
    await ask("responses");
    const [body] = await bodies();
    const format = { type: "grammar", syntax: "lark", definition: "start: /.+/" };
    assert.deepEqual(body?.tools?.[1], { type: "custom", name: "apply_patch", description: "Patches.", format });
    assert.equal(body?.tools?.[0]?.type, "function");
    assert.deepEqual(body?.input?.slice(1), [
      { type: "custom_tool_call", call_id: "p", name: "apply_patch", input: patch },
      { type: "function_call", call_id: "r", name: "read", arguments: '{"path":"a"}' },
      { type: "custom_tool_call_output", call_id: "p", output: "Edited." },
      { type: "function_call_output", call_id: "r", output: "A" },
    ]);
  });

  it("is offered by its schema to other models and over other wires", async () => {
    await server.script(done, done, done);
    await ask("responses", conversation, { ...patching, id: "any-other" });
    await ask("chat");
    await ask("anthropic");
    const sent = await bodies();
    assert.equal(sent.length, 3);
    for (const body of sent) assert.doesNotMatch(JSON.stringify(body), /custom|grammar|lark|freeText/);
  });

  it("is offered by its schema where the provider refuses free text, and stays so", async () => {
    const message = "Invalid value: 'custom'. Supported values are: 'function'.";
    const refusal = { status: 400, body: { error: { message, param: "tools[1].type" } } };
    await server.script(refusal, done, done);
    const stream = providerAt("responses", server.url);
    const first = await hear(stream, conversation, {}, patching);
    await hear(stream, conversation, {}, patching);
    assert.equal(first.terminal, "done");
    assert.equal(first.events.filter(({ type }) => type === "warning").length, 1);
    const types = (await bodies()).map(({ tools = [], input = [] }) => [
      tools.map(({ type }) => type),
      input.map(({ type }) => type).filter((type) => type?.startsWith("custom")).length,
    ]);
    const asFunctions = [["function", "function"], 0];
    assert.deepEqual(types, [[["function", "custom"], 2], asFunctions, asFunctions]);
  });

  /** What is read of an answer with one call. */
  async function answerTo(...steps: Step[]) {
    await server.script({ steps });
    const heard = await ask("responses", { ...conversation, messages: [user("Go")] });
    const deltas = heard.events.flatMap((event) => (event.type === "toolcall_delta" ? [event.delta] : []));
    return { ...heard, json: deltas.join("") };
  }

  it("is called with the text as its argument, and the argument grows as JSON", async () => {
    for (const input of [patch, ""]) {
      await server.reset();
      const { json, message, events } = await answerTo({ tool: "apply_patch", input, chunk: 3 });
      assert.deepEqual(JSON.parse(json), { patch: input });
      assert.deepEqual(callsOf(message)[0]?.arguments, { patch: input });
      assert.equal(events.at(-2)?.type, "toolcall_end" satisfies StreamEvent["type"]);
      assert.equal(message.stopReason, "toolUse");
    }
  });

  it("may be called by JSON all the same", async () => {
    const { json, message } = await answerTo({ tool: "apply_patch", arguments: { patch } });
    assert.deepEqual(JSON.parse(json), { patch });
    assert.deepEqual(callsOf(message)[0]?.arguments, { patch });
  });

  it("keeps of a call that was cut the text of its JSON, which is no arguments", async () => {
    const { json, message, terminal } = await answerTo({ tool: "apply_patch", input: patch }, { cut: true });
    assert.equal(terminal, "error");
    assert.equal(callsOf(message)[0]?.arguments, json);
    assert.ok(json.startsWith('{"patch":"*** Begin Patch\\n'));
    assert.throws(() => JSON.parse(json));
  });

  it("is not taken for whole without its end, whatever the answer says", async () => {
    const events = [
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { type: "custom_tool_call", call_id: "c", name: "apply_patch", input: "" },
      },
      { type: "response.custom_tool_call_input.delta", output_index: 0, delta: "*** Begin Patch" },
      { type: "response.completed", response: { status: "completed", output: [] } },
    ];
    const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
    const stream = providerAt("responses", server.url, {
      fetch: fetchOf([new TextEncoder().encode(body)]),
      maxRetries: 0,
    });
    const { terminal, message } = await hear(stream, conversation, {}, patching);
    assert.deepEqual([terminal, message.errorKind], ["error", "incomplete"]);
  });

  it("stays unknown where it was not offered", async () => {
    const { message } = await answerTo({ tool: "shell", input: "ls" });
    assert.equal(callsOf(message)[0]?.arguments, "ls");
  });
});
