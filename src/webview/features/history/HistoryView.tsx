import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { historyPage } from "../../../protocol/history.ts";
import type { Store } from "../../shell/panel.ts";
import { visible } from "../../text/visible.ts";
import { Button, IconButton } from "../../ui/Buttons.tsx";
import { SearchField } from "../../ui/TextFields.tsx";
import { HistoryRow } from "./HistoryRow.tsx";
import type { HistoryPage } from "./history.ts";

/** All chats of the workspace, in place of the one on show. */
export function HistoryView({ store }: { store: Store }) {
  const { history } = store;
  const view = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const page = history.page.value;

  useEffect(() => {
    const unfollow = history.follow(historyPage);
    field.current?.focus();
    return unfollow;
  }, []);

  const found = page?.items.length ?? 0;
  const query = history.query.value;
  useEffect(() => {
    if (page !== undefined && page.query !== "") store.announcer.announce([foundText(found, page.hasMore)]);
  }, [page?.query, found]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Escape" && query !== "" && event.target === field.current) history.search("");
    else if (event.key === "Escape") store.closeHistory();
    else if (event.key === "ArrowDown" && event.target === field.current) {
      view.current?.querySelector<HTMLElement>(".history-open")?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <section class="history" aria-label={t("History")} ref={view} onKeyDown={onKeyDown}>
      <search class="history-search">
        <SearchField field={field} label={t("Search chats")} value={query} onInput={(words) => history.search(words)} />
        <IconButton icon="folder-opened" label={t("Import chat")} onClick={() => store.post({ type: "importChat" })} />
        <IconButton icon="close" label={t("Close history")} onClick={() => store.closeHistory()} />
      </search>
      {page !== undefined && found === 0 && (
        <p class="hint history-none">
          {page.query === ""
            ? t("No chats yet. What you say to an agent is kept here.")
            : t("No chat has “{0}” in its title or in your words.", visible(page.query))}
        </p>
      )}
      {page !== undefined && found > 0 && (
        <HistoryList page={page} store={store} focusSearch={() => field.current?.focus()} />
      )}
      <Deleted store={store} />
    </section>
  );
}

function foundText(count: number, hasMore: boolean): string {
  if (hasMore) return t("More than {0} chats found", count);
  return count === 1 ? t("1 chat found") : t("{0} chats found", count);
}

/** The latest chat that was deleted, as long as the history is open. */
function Deleted({ store }: { store: Store }) {
  const item = store.history.deleted.value;
  if (item === undefined) return null;
  return (
    <div class="rewind-note history-deleted" role="note" aria-label={t("Deleted chat")}>
      <span>{t("Deleted “{0}”.", visible(item.title))}</span>
      <Button onClick={() => store.history.undoRemove()}>{t("Undo")}</Button>
    </div>
  );
}

interface HistoryListProps {
  page: HistoryPage;
  store: Store;
  focusSearch(): void;
}

/** Rows that the arrow keys go through; one of them at a time is in the tab order, with its buttons. */
function HistoryList({ page, store, focusSearch }: HistoryListProps) {
  const list = useRef<HTMLUListElement>(null);
  const currentId = useSignal<string | undefined>(undefined);
  const renamedId = useSignal<string | undefined>(undefined);
  const { items } = page;
  const current = Math.max(
    0,
    items.findIndex(({ id }) => id === currentId.value),
  );

  // The row's button is back only when the field is gone.
  const wasRenamed = useRef(false);
  const isRenaming = renamedId.value !== undefined;
  useLayoutEffect(() => {
    if (wasRenamed.current && !isRenaming) focusRow(current);
    wasRenamed.current = isRenaming;
  }, [isRenaming]);

  function focusRow(index: number): void {
    list.current?.querySelectorAll<HTMLElement>(".history-open")[index]?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const item = items[current];
    if (event.isComposing || renamedId.peek() !== undefined || item === undefined) return;
    if (event.key === "ArrowDown") focusRow(Math.min(current + 1, items.length - 1));
    else if (event.key === "ArrowUp" && current === 0) focusSearch();
    else if (event.key === "ArrowUp") focusRow(current - 1);
    else if (event.key === "Home") focusRow(0);
    else if (event.key === "End") focusRow(items.length - 1);
    else if (event.key === "F2" && item.state !== "damaged") renamedId.value = item.id;
    else if (event.key === "Delete") remove(current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The focus goes on to the row that takes the place, so that it is never lost. */
  function remove(index: number): void {
    const item = items[index];
    const next = items[index + 1] ?? items[index - 1];
    if (item === undefined) return;
    if (next === undefined) focusSearch();
    else {
      currentId.value = next.id;
      focusRow(items.indexOf(next));
    }
    store.history.remove(item);
  }

  return (
    <ul class="history-list" aria-label={t("Chats")} ref={list} onKeyDown={onKeyDown}>
      {items.map((item, index) => (
        <HistoryRow
          key={item.id}
          item={item}
          store={store}
          isCurrent={index === current}
          isRenamed={renamedId.value === item.id}
          onFocus={() => {
            currentId.value = item.id;
          }}
          onRename={(isRenamed) => {
            renamedId.value = isRenamed ? item.id : undefined;
          }}
          onRemove={() => remove(index)}
        />
      ))}
      {page.hasMore && (
        <li class="history-more">
          <Button onClick={() => store.history.showMore()}>{t("Show more")}</Button>
        </li>
      )}
    </ul>
  );
}
