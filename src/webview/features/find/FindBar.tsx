import { type ReadonlySignal, useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "../../ui/Buttons.tsx";
import { SearchField } from "../../ui/TextFields.tsx";
import type { FindModel } from "./findModel.ts";
import { findRanges, markFound, unmarkFound } from "./findRanges.ts";

export interface FindBarProps {
  model: FindModel;
  /** What is searched: the drawn messages. */
  root: RefObject<HTMLElement | null>;
  /** Whose messages these are. */
  agentId: string | undefined;
}

/** Finds text in the transcript on show. Enter and Shift+Enter go from one to the next, Esc closes. */
export function FindBar({ model, root, agentId }: FindBarProps) {
  const { found, current, search, step } = useSearch(model, root, agentId);
  const field = useRef<HTMLInputElement>(null);
  const before = useRef(document.activeElement);
  const request = model.request.value;

  useLayoutEffect(() => {
    if (request === undefined || request.isAnswered) return;
    request.isAnswered = true;
    field.current?.focus();
    field.current?.select();
  }, [request]);

  function close(): void {
    model.close();
    if (before.current instanceof HTMLElement) before.current.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Escape") close();
    else if (event.key === "F3" || (event.key === "Enter" && event.target === field.current)) {
      step(event.shiftKey ? -1 : 1);
      model.announce(countText(current.peek(), found.peek().length));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const count = found.value.length;
  return (
    <search class="find-bar" onKeyDown={onKeyDown}>
      <SearchField
        field={field}
        label={t("Find in conversation")}
        placeholder={t("Find")}
        value={model.query.value}
        onInput={search}
      />
      <span class="find-count">{model.query.value === "" ? "" : countText(current.value, count)}</span>
      <IconButton icon="arrow-up" label={t("Previous match")} isDisabled={count === 0} onClick={() => step(-1)} />
      <IconButton icon="arrow-down" label={t("Next match")} isDisabled={count === 0} onClick={() => step(1)} />
      <IconButton icon="close" label={t("Close find")} onClick={close} />
    </search>
  );
}

function countText(current: number, count: number): string {
  return count === 0 ? t("No results") : t("{0} of {1}", current + 1, count);
}

/** While a conversation grows it is searched again a few times a second. */
const searchDelayMs = 150;

export interface SearchResult {
  readonly found: ReadonlySignal<readonly Range[]>;
  /** Which of them is shown; from 0. */
  readonly current: ReadonlySignal<number>;
  search(query: string): void;
  step(by: 1 | -1): void;
}

/** Searches what is drawn in `root`, now and whenever that changes. */
function useSearch(
  { query, timing }: FindModel,
  root: RefObject<HTMLElement | null>,
  agentId: string | undefined,
): SearchResult {
  const found = useSignal<readonly Range[]>([]);
  const current = useSignal(0);

  function show(index: number): void {
    current.value = index;
    const range = found.peek()[index];
    markFound(found.peek(), range);
    range?.startContainer.parentElement?.scrollIntoView({ block: "center", inline: "nearest" });
  }

  function search(next: string): void {
    const shown = found.peek()[current.peek()];
    query.value = next;
    found.value = root.current === null ? [] : findRanges(root.current, next);
    const nearest = found.peek().findIndex((range) => isFrom(range, shown, root.current));
    show(Math.max(0, nearest));
  }

  /** Without scrolling: the user reads on where they are. */
  function searchAgain(): void {
    if (root.current === null) return;
    found.value = findRanges(root.current, query.peek());
    current.value = Math.max(0, Math.min(current.peek(), found.peek().length - 1));
    markFound(found.peek(), found.peek()[current.peek()]);
  }

  useEffect(() => {
    current.value = 0;
    searchAgain();
  }, [agentId]);

  useEffect(() => {
    let cancel: (() => void) | undefined;
    const observer = new MutationObserver(() => {
      cancel ??= timing.later(() => {
        cancel = undefined;
        searchAgain();
      }, searchDelayMs);
    });
    if (root.current !== null) observer.observe(root.current, { childList: true, characterData: true, subtree: true });
    return () => {
      observer.disconnect();
      cancel?.();
      unmarkFound();
    };
  }, []);

  return {
    found,
    current,
    search,
    step(by) {
      const count = found.peek().length;
      if (count > 0) show((current.peek() + by + count) % count);
    },
  };
}

/** The reader goes on from what was found last while the query was shorter, or else from where they read. */
function isFrom(range: Range, shown: Range | undefined, root: HTMLElement | null): boolean {
  if (shown !== undefined) return range.compareBoundaryPoints(Range.START_TO_START, shown) >= 0;
  return range.getBoundingClientRect().bottom >= (root?.parentElement?.getBoundingClientRect().top ?? 0);
}
