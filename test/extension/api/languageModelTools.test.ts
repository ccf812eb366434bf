import assert from "node:assert/strict";
import { languageModelTools } from "../../../src/extension/api/languageModelTools.ts";

const { signal } = new AbortController();
const call = (invoke: (signal: AbortSignal) => Promise<string>, own = signal) =>
  languageModelTools({
    list: () => [],
    invoke: (_name, _input, limited) => invoke(limited),
    callTimeoutMs: 30,
  }).callTool("count", {}, { signal: own });

describe("A language model tool of another extension", () => {
  it("is offered with its schema, but for the one that hands tasks to our agents", () => {
    const list = () => [
      { name: "count", description: "Counts.", inputSchema: { type: "object", required: ["text"] } },
      { name: "plain", description: "Has no arguments." },
      { name: "arbor_delegate", description: "Delegates." },
    ];
    const { offers } = languageModelTools({ list, invoke: async () => "" });
    assert.deepEqual(offers.tools, [
      { name: "count", description: "Counts.", inputSchema: { type: "object", properties: {}, required: ["text"] } },
      { name: "plain", description: "Has no arguments.", inputSchema: { type: "object", properties: {} } },
    ]);
  });

  it("gives its text, and an error for the model where it throws or never settles", async () => {
    assert.deepEqual((await call(async () => "3")).content, [{ type: "text", text: "3" }]);
    const thrown = call(() => Promise.reject(new Error("no net\u202ework")));
    await assert.rejects(thrown, { name: "ToolError", message: "The editor's tool count failed: no net⟨U+202E⟩work" });
    let isCanceled = false;
    const endless = call(async (limited) => {
      limited.addEventListener("abort", () => {
        isCanceled = true;
      });
      return new Promise(() => {});
    });
    await assert.rejects(endless, /^ToolError: The editor's tool count failed: .*timeout/i);
    assert.ok(isCanceled, "it is canceled in the editor, too");
  });

  it("ends with the run that called it", async () => {
    const stop = new AbortController();
    const running = call(() => new Promise(() => {}), stop.signal);
    stop.abort(new Error("Stopped."));
    await assert.rejects(running, /^Error: Stopped\.$/);
  });
});
