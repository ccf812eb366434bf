import assert from "node:assert/strict";
import type { HistoryItem } from "../../../../src/protocol/history.ts";
import type { Intent } from "../../../../src/protocol/messages.ts";
import { createHistory } from "../../../../src/webview/features/history/history.ts";

const item = (id: string): HistoryItem => ({ id, title: id, updatedAt: 0, tokens: 0, state: "idle" });

function history() {
  const posted: Intent[] = [];
  const made = createHistory((intent) => posted.push(intent));
  const page = (query: string, ids: string[], hasMore = false) =>
    made.receive({ query, items: ids.map(item), hasMore });
  const shown = () => made.page.value?.items.map(({ id }) => id);
  return { history: made, posted, page, shown };
}

describe("the history as the panel keeps it", () => {
  it("asks for what is followed, searched and shown more", () => {
    const { history: kept, posted } = history();
    kept.follow(3);
    kept.search("auth");
    kept.showMore();
    assert.deepEqual(posted, [
      { type: "listHistory", query: "", limit: 3 },
      { type: "listHistory", query: "auth", limit: 50 },
      { type: "listHistory", query: "auth", limit: 100 },
    ]);
  });

  it("takes no answer to what is not asked any more", () => {
    const { history: kept, page, shown } = history();
    kept.follow(50);
    page("", ["a", "b"]);
    kept.search("b");
    page("", ["a", "b", "c"]);
    assert.deepEqual(shown(), ["a", "b"]);
    page("b", ["b"]);
    assert.deepEqual(shown(), ["b"]);
  });

  it("is told to the host as closed only by who followed last", () => {
    const { history: kept, posted, page, shown } = history();
    const recent = kept.follow(3);
    const list = kept.follow(50);
    page("", ["a"]);
    recent();
    assert.deepEqual([shown(), posted.at(-1)?.type], [["a"], "listHistory"]);
    list();
    assert.deepEqual([shown(), posted.at(-1)?.type], [undefined, "closeHistory"]);
  });

  it("takes a deleted chat from the list at once, and gives it back through the host", () => {
    const { history: kept, posted, page, shown } = history();
    kept.follow(50);
    page("", ["a", "b"]);
    kept.remove(item("a"));
    assert.deepEqual([shown(), kept.deleted.value?.id], [["b"], "a"]);
    kept.undoRemove();
    assert.equal(kept.deleted.value, undefined);
    kept.undoRemove();
    assert.deepEqual(posted.slice(1), [
      { type: "deleteChat", chatId: "a" },
      { type: "restoreChat", chatId: "a" },
    ]);
  });
});
