import assert from "node:assert/strict";
import { signal } from "@preact/signals";
import { createAnswerGuard, createShownItem } from "../../../src/webview/model/answers.ts";
import { manualTiming } from "../support/manualTiming.ts";

describe("the guard of answers", () => {
  function seen(id: string) {
    const timing = manualTiming();
    const guard = createAnswerGuard(timing);
    guard.setInView(id, true);
    return { timing, guard };
  }

  it("takes none before the card was in view for a moment, and one after that", () => {
    const { timing, guard } = seen("a");
    assert.equal(guard.take("a"), false);
    timing.runLater();
    assert.equal(guard.isReady("a"), true);
    assert.deepEqual([guard.take("a"), guard.take("a")], [true, false]);
  });

  it("waits for longer than a second click of the same hand, and then swallows one for longer still", () => {
    const delays: number[] = [];
    const due: (() => void)[] = [];
    const guard = createAnswerGuard({
      later(run, delayMs) {
        delays.push(delayMs);
        due.push(run);
        return () => {};
      },
    });
    guard.setInView("a", true);
    due[0]?.();
    assert.equal(guard.take("a"), true);
    const [armedAfterMs = 0, settledAfterMs = 0] = delays;
    assert.ok(armedAfterMs >= 250, String(armedAfterMs));
    assert.ok(settledAfterMs > 500 && settledAfterMs > armedAfterMs, String(settledAfterMs));
  });

  it("takes none of a card that left the view, and starts again when it comes back", () => {
    const { timing, guard } = seen("a");
    timing.runLater();
    guard.setInView("a", false);
    assert.equal(guard.take("a"), false);
    guard.setInView("a", true);
    assert.equal(guard.take("a"), false);
    timing.runLater();
    assert.equal(guard.take("a"), true);
  });

  it("takes one answer for each part, and none for a part once the whole is answered", () => {
    const { timing, guard } = seen("a");
    timing.runLater();
    assert.deepEqual([guard.take("a", "h1"), guard.take("a", "h1"), guard.take("a", "h2")], [true, false, true]);
    assert.deepEqual([guard.take("a"), guard.take("a", "h3")], [true, false]);
  });

  it("takes another answer where the host has not taken the first", () => {
    const { timing, guard } = seen("a");
    timing.runLater();
    guard.take("a");
    timing.runLater();
    assert.equal(guard.take("a"), true);
  });
});

describe("the item that is shown of several", () => {
  const items = (...ids: string[]) => ids.map((id) => ({ id }));

  it("stays while others come and go before and after it", () => {
    const list = signal(items("a", "b", "c"));
    const shown = createShownItem(list, () => false);
    shown.show("b");
    assert.equal(shown.item.value?.id, "b");
    for (const ids of [["b", "c"], ["x", "y", "b"], ["b"]]) {
      list.value = items(...ids);
      assert.equal(shown.item.value?.id, "b");
    }
  });

  it("is followed by a preferred one, else by the one that has its place", () => {
    const list = signal(items("a", "b", "c", "d"));
    const shown = createShownItem(list, ({ id }) => id === "d");
    assert.equal(shown.item.value?.id, "d");
    shown.show("b");
    assert.equal(shown.index.value, 1);
    list.value = items("a", "c", "d");
    assert.equal(shown.item.value?.id, "d");
    list.value = items("a", "c");
    assert.equal(shown.item.value?.id, "c");
    list.value = [];
    assert.deepEqual([shown.item.value, shown.index.value], [undefined, -1]);
  });
});
