import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Store } from "../../shell/store.ts";
import { Button } from "../../ui/Button.tsx";
import { HistoryRow } from "./HistoryRow.tsx";
import type { HistoryPage } from "./history.ts";

export interface HistoryListProps {
  page: HistoryPage;
  store: Store;
  focusSearch(): void;
}

/** Rows that the arrow keys go through; one of them at a time is in the tab order, with its buttons. */
export function HistoryList({ page, store, focusSearch }: HistoryListProps) {
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
