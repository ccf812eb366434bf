import assert from "node:assert/strict";
import { answerInChat } from "../../../src/extension/api/chatParticipant.ts";

function request(prompt: string) {
  const shown: string[] = [];
  const listeners = new Set<() => void>();
  const stream = {
    markdown: (text: string) => void shown.push(text),
    progress: (text: string) => void shown.push(`… ${text}`),
  };
  const token = {
    isCancellationRequested: false,
    onCancellationRequested(listener: () => void) {
      listeners.add(listener);
      return { dispose: () => void listeners.delete(listener) };
    },
  };
  return { shown, listeners, prompt, stream, token };
}

describe("@arbor in the editor's chat", () => {
  it("hands the message to an agent, and shows its answer", async () => {
    const asked: unknown[] = [];
    const { shown, listeners, ...own } = request("Fix the test");
    await answerInChat(async (input) => {
      asked.push(input);
      return { text: "Fixed." };
    }, own);
    assert.deepEqual(asked, [{ prompt: "Fix the test", attachments: [] }]);
    assert.deepEqual(shown, ["… Arbor works on it", "Fixed."]);
    assert.equal(listeners.size, 0);
  });

  it("asks for words where there are none, and starts nothing", async () => {
    const { shown, ...own } = request("  ");
    await answerInChat(() => assert.fail("nothing was asked"), own);
    assert.deepEqual(shown, ["Say what should be done."]);
  });

  it("stops its run when the editor cancels, and says why it failed", async () => {
    const { listeners, ...own } = request("Work");
    const running = answerInChat(
      (_, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      own,
    );
    for (const listener of listeners) listener();
    await assert.rejects(running, { name: "AbortError" });
    await assert.rejects(
      answerInChat(() => Promise.reject(new Error("No model.")), request("Work")),
      /No model\./,
    );
  });
});
