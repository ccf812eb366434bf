import { t } from "@vscode/l10n";
import { useEffect, useRef } from "preact/hooks";
import { historyPage } from "../../../protocol/history.ts";
import type { Store } from "../../shell/store.ts";
import { visible } from "../../text/visible.ts";
import { Button } from "../../ui/Button.tsx";
import { IconButton } from "../../ui/IconButton.tsx";
import { SearchField } from "../../ui/SearchField.tsx";
import { HistoryList } from "./HistoryList.tsx";

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
    if (page !== undefined && page.query !== "") store.announcer.say([foundText(found, page.hasMore)]);
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
