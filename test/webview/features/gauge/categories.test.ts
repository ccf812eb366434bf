import assert from "node:assert/strict";
import { gaugeSegments } from "../../../../src/webview/features/gauge/categories.ts";
import { applyHostMessage, emptyChatState } from "../../../../src/webview/model/chat.ts";
import { readContext } from "../../../../src/webview/model/usage.ts";
import { recording, status } from "../../support/recording.ts";

const context = { system: 3_100, tools: 6_400, messages: 12_000, files: 11_000, toolResults: 8_700, reserved: 16_000 };

describe("context gauge", () => {
  it("reads the last request of the agent, not what all its requests took together", () => {
    const log = recording();
    const main = log.agent("main");
    log.spend(main, { input: 90_000, output: 5_000 }, 45);
    log.spend(main, { input: 14_200, cacheRead: 27_000, output: 2_000 }, 21);
    const node = applyHostMessage(emptyChatState(), log.chat()).state.tree.nodes.main;
    const reading = readContext(node, { ...context, window: 200_000 }, status());
    assert.deepEqual([reading.percent, reading.text], [21, "41.2k of 200k tokens"]);
  });

  it("shows the chosen model's window before the first request", () => {
    assert.equal(readContext(undefined, undefined, status()).text, "0 of 200k tokens");
  });

  it("falls at once when a context was summarised, to what the next request will show", () => {
    const log = recording();
    const main = log.agent("main");
    log.spend(main, { input: 162_000, output: 5_000 }, 81);
    const node = applyHostMessage(emptyChatState(), log.chat()).state.tree.nodes.main;
    const reading = readContext(node, { ...context, window: 200_000, isAhead: true }, status());
    assert.deepEqual([reading.percent, reading.text], [21, "41.2k of 200k tokens"]);
    const { window: _, ...unsized } = { ...context, window: 0 };
    assert.equal(readContext(node, { ...unsized, isAhead: true }, status()).percent, 0);
  });

  it("says when the size of the window is not known", () => {
    assert.match(readContext(undefined, undefined, undefined).text, /unknown/);
  });

  it("puts the categories one after the other and what is reserved at the far end", () => {
    const segments = gaugeSegments({ ...context, window: 200_000 });
    const last = segments.at(-1);
    assert.equal(last?.key, "reserved");
    assert.equal((last?.start ?? 0) + (last?.width ?? 0), 100);
    for (const [index, segment] of segments.slice(0, -1).entries()) {
      const before = segments[index - 1];
      assert.ok(Math.abs(segment.start - (before === undefined ? 0 : before.start + before.width)) < 1e-9);
    }
  });

  it("stays inside the bar when the estimate is larger than the window", () => {
    const sum = gaugeSegments({ ...context, window: 10_000 }).reduce((total, { width }) => total + width, 0);
    assert.ok(sum <= 100.000001, String(sum));
  });
});
