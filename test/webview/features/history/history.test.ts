import assert from "node:assert/strict";
import { signal } from "@preact/signals";
import type { HistoryItem } from "../../../../src/protocol/history.ts";
import type { Intent } from "../../../../src/protocol/messages.ts";
import { createHistoryModel } from "../../../../src/webview/features/history/history.ts";
import { createAnnouncer } from "../../../../src/webview/model/announcer.ts";
import { manualTiming } from "../../support/manualTiming.ts";

const item = (id: string): HistoryItem => ({ id, title: id, updatedAt: 0, tokens: 0, state: "idle" });

function history() {
  const posted: Intent[] = [];
  const timing = manualTiming();
  const chat = {
    post: (intent: Intent) => void posted.push(intent),
    chatId: signal(undefined),
    announcer: createAnnouncer(timing),
    timing,
  };
  const made = createHistoryModel(chat, () => {});
  const page = (query: string, ids: string[], hasMore = false) =>
    made.receive({ query, items: ids.map(item), hasMore });
  const shown = () => made.page.value?.items.map(({ id }) => id);
  return { history: made, posted, page, shown };
}

describe("the history as the panel keeps it", () => {
  it("asks for what is followed, searched and shown more", () => {
    const { history: model, posted } = history();
    model.subscribe(3);
    model.search("auth");
    model.showMore();
    assert.deepEqual(posted, [
      { type: "listHistory", query: "", limit: 3 },
      { type: "listHistory", query: "auth", limit: 50 },
      { type: "listHistory", query: "auth", limit: 100 },
    ]);
  });

  it("takes no answer to what is not asked any more", () => {
    const { history: model, page, shown } = history();
    model.subscribe(50);
    page("", ["a", "b"]);
    model.search("b");
    page("", ["a", "b", "c"]);
    assert.deepEqual(shown(), ["a", "b"]);
    page("b", ["b"]);
    assert.deepEqual(shown(), ["b"]);
  });

  it("is told to the host as closed only by who followed last", () => {
    const { history: model, posted, page, shown } = history();
    const recent = model.subscribe(3);
    const list = model.subscribe(50);
    page("", ["a"]);
    recent();
    assert.deepEqual([shown(), posted.at(-1)?.type], [["a"], "listHistory"]);
    list();
    assert.deepEqual([shown(), posted.at(-1)?.type], [undefined, "closeHistory"]);
  });

  it("takes a deleted chat from the list at once, and gives it back through the host", () => {
    const { history: model, posted, page, shown } = history();
    model.subscribe(50);
    page("", ["a", "b"]);
    model.remove(item("a"));
    assert.deepEqual([shown(), model.deleted.value?.id], [["b"], "a"]);
    model.undoRemove();
    assert.equal(model.deleted.value, undefined);
    model.undoRemove();
    assert.deepEqual(posted.slice(1), [
      { type: "deleteChat", chatId: "a" },
      { type: "restoreChat", chatId: "a" },
    ]);
  });
});
