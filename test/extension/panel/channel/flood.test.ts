import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Agent, type AssistantMessage, type StreamFn } from "../../../../src/agent/index.ts";
import { Chat } from "../../../../src/extension/chat/chat.ts";
import { Channel } from "../../../../src/extension/panel/channel/channel.ts";
import { user } from "../../../support/events.ts";
import { receivedMessage } from "../../../support/hostMessages.ts";
import { testModel } from "../../../support/scriptedModel.ts";
import { isFull, timeLimitMs, tries } from "../../../support/soak.ts";
import { status } from "../../../webview/support/recording.ts";

const deltasPerMs = 20;
/** Each a string of its own, as a model's deltas are. */
const wordOf = (index: number) => `${(index % 10_000).toString().padStart(4, "0")} `;
const mebibyte = 1024 * 1024;

interface Flood {
  streamFn: StreamFn;
  /** Runs when all deltas are out, before the message ends. */
  atEnd: () => void;
}

/** A model that writes as many deltas in each millisecond as it says, however late it is woken. */
function flood(count: number): Flood {
  const flooding: Flood = {
    atEnd: () => {},
    async *streamFn() {
      yield { type: "start" };
      yield { type: "text_start", index: 0 };
      const from = performance.now();
      for (let sent = 0; sent < count; ) {
        const due = Math.min(count, (performance.now() - from) * deltasPerMs);
        for (; sent < due; sent++) yield { type: "text_delta", index: 0, delta: wordOf(sent) };
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      flooding.atEnd();
      const text = Array.from({ length: count }, (_, index) => wordOf(index)).join("");
      yield { type: "text_end", index: 0, content: text };
      yield { type: "done", message: answer(text) };
    },
  };
  return flooding;
}

function answer(text: string): AssistantMessage {
  const facts = { model: testModel.id, provider: testModel.provider, stopReason: "stop", timestamp: 0 } as const;
  return { role: "assistant", id: "provider-id", content: [{ type: "text", text }], ...facts };
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

function usedHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** What a panel was sent of texts. */
function lettersOf(post: string): number {
  const message = receivedMessage(post);
  if (message.type !== "entries") return 0;
  const whole = message.entries.map((entry) => {
    if (!("agent" in entry) || entry.agent.type !== "message_update") return "";
    return "delta" in entry.agent.delta ? entry.agent.delta.delta : "";
  });
  const more = (message.texts ?? []).map(([, , , , , text]) => text);
  return [...whole, ...more].reduce((sum, text) => sum + text.length, 0);
}

describe("a flood of deltas", function () {
  this.timeout(timeLimitMs(120_000));

  for (const isWatched of [true, false]) {
    it(`of 20,000 a second leaves the host quick and small, ${isWatched ? "with a panel" : "with no panel in sight"}`, async () => {
      const { numRuns: count } = tries("flood");
      const flooding = flood(count);
      const chat = new Chat({
        createAgent: () => new Agent({ name: "main", model: testModel, streamFn: flooding.streamFn }),
        configure: () => {},
        noticeFor: () => undefined,
        onActivity: () => {},
      });
      let posts = 0;
      let letters = 0;
      const channel = new Channel(chat, {
        postMessage(json) {
          posts++;
          letters += lettersOf(json);
        },
      });
      channel.show(chat, status());
      if (!isWatched) channel.pause();
      const lag = monitorEventLoopDelay({ resolution: 1 });
      const before = usedHeap();
      let grown = Number.POSITIVE_INFINITY;
      let lagMs = Number.POSITIVE_INFINITY;
      flooding.atEnd = () => {
        lagMs = lag.percentile(99) / 1e6;
        lag.disable();
        grown = (usedHeap() - before) / mebibyte;
      };
      lag.enable();
      const from = performance.now();
      await chat.send(user("u", "Write a lot."), "queue");
      const seconds = (performance.now() - from) / 1_000;
      channel.pause();
      assert.ok(lagMs <= (isFull ? 50 : 1_000), `lag ${lagMs} ms`);
      assert.ok(grown <= 50, `heap grew by ${grown} MB`);
      assert.ok(posts <= 60 * seconds + 2, `${posts} posts`);
      // All but the last frame, or nothing.
      assert.ok(isWatched ? letters > 0.9 * 5 * count : letters === 0, `${letters} letters`);
      assert.ok((chat.log.entriesAfter(0) ?? []).length < 20);
    });
  }
});
