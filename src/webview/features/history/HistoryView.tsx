import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { historyPage } from "../../../protocol/history.ts";
import { plural } from "../../text/format.ts";
import { visible } from "../../text/visible.ts";
import { Button, IconButton } from "../../ui/Buttons.tsx";
import { SearchField } from "../../ui/TextFields.tsx";
import { HistoryRow } from "./HistoryRow.tsx";
import type { HistoryList, HistoryModel } from "./history.ts";

/** All chats of the workspace, in place of the one on show. */
export function HistoryView({ model }: { model: HistoryModel }) {
  const view = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const page = model.page.value;

  useEffect(() => {
    const unsubscribe = model.subscribe(historyPage);
    field.current?.focus();
    return unsubscribe;
  }, []);

  const found = page?.items.length ?? 0;
  const query = model.query.value;
  useEffect(() => {
    if (page !== undefined && page.query !== "") model.announce(foundText(found, page.hasMore));
  }, [page?.query, found]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Escape" && query !== "" && event.target === field.current) model.search("");
    else if (event.key === "Escape") model.leave();
    else if (event.key === "ArrowDown" && event.target === field.current) {
      view.current?.querySelector<HTMLElement>(".history-open")?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <section class="history" aria-label={t("History")} ref={view} onKeyDown={onKeyDown}>
      <search class="history-search">
        <SearchField field={field} label={t("Search chats")} value={query} onInput={(typed) => model.search(typed)} />
        <IconButton icon="folder-opened" label={t("Import chat")} onClick={() => model.post({ type: "importChat" })} />
        <IconButton icon="close" label={t("Close history")} onClick={() => model.leave()} />
      </search>
      {page !== undefined && found === 0 && (
        <p class="hint history-none">
          {page.query === ""
            ? t("No chats yet. Your chats appear here.")
            : t("No chats match “{0}”.", visible(page.query))}
        </p>
      )}
      {page !== undefined && found > 0 && (
        <ChatList page={page} model={model} focusSearch={() => field.current?.focus()} />
      )}
      <Deleted model={model} />
    </section>
  );
}

function foundText(count: number, hasMore: boolean): string {
  if (hasMore) return t("More than {0} chats found", count);
  return plural(count, t("{0} chat found", count), t("{0} chats found", count));
}

/** The latest chat that was deleted, as long as the history is open. */
function Deleted({ model }: { model: HistoryModel }) {
  const item = model.deleted.value;
  if (item === undefined) return null;
  return (
    <div class="rewind-note history-deleted" role="note" aria-label={t("Deleted chat")}>
      <span>{t("Deleted “{0}”.", visible(item.title))}</span>
      <Button onClick={() => model.undoRemove()}>{t("Undo")}</Button>
    </div>
  );
}

interface ChatListProps {
  page: HistoryList;
  model: HistoryModel;
  focusSearch(): void;
}

/** Rows that the arrow keys go through; one of them at a time is in the tab order, with its buttons. */
function ChatList({ page, model, focusSearch }: ChatListProps) {
  const list = useRef<HTMLUListElement>(null);
  const currentId = useSignal<string | undefined>(undefined);
  const renamedId = useSignal<string | undefined>(undefined);
  const { items } = page;
  const current = Math.max(
    0,
    items.findIndex(({ id }) => id === currentId.value),
  );

  // The row's button is back only when the field is removed.
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

  /** The focus goes on to the row that replaces it, so that it is never lost. */
  function remove(index: number): void {
    const item = items[index];
    const next = items[index + 1] ?? items[index - 1];
    if (item === undefined) return;
    if (next === undefined) focusSearch();
    else {
      currentId.value = next.id;
      focusRow(items.indexOf(next));
    }
    model.remove(item);
  }

  return (
    <ul class="history-list" aria-label={t("Chats")} ref={list} onKeyDown={onKeyDown}>
      {items.map((item, index) => (
        <HistoryRow
          key={item.id}
          item={item}
          model={model}
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
          <Button onClick={() => model.showMore()}>{t("Show more")}</Button>
        </li>
      )}
    </ul>
  );
}
