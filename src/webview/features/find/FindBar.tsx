import { t } from "@vscode/l10n";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Store } from "../../shell/store.ts";
import { IconButton } from "../../ui/IconButton.tsx";
import { SearchField } from "../../ui/SearchField.tsx";
import { useFinding } from "./useFinding.ts";

export interface FindBarProps {
  store: Store;
  /** What is searched: the drawn messages. */
  root: RefObject<HTMLElement | null>;
}

/** Finds words in the transcript on show. Enter and Shift+Enter go from one to the next, Esc closes. */
export function FindBar({ store, root }: FindBarProps) {
  const { found, current, search, step } = useFinding(root, store.timing);
  const field = useRef<HTMLInputElement>(null);
  const before = useRef(document.activeElement);
  const request = store.findRequest.value;

  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [request]);

  function close(): void {
    store.findRequest.value = undefined;
    if (before.current instanceof HTMLElement) before.current.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Escape") close();
    else if (event.key === "F3" || (event.key === "Enter" && event.target === field.current)) {
      step(event.shiftKey ? -1 : 1);
      store.announcer.say([countWords(current.peek(), found.peek().length)]);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const count = found.value.length;
  const isBlank = (field.current?.value ?? "") === "";
  return (
    <search class="find-bar" onKeyDown={onKeyDown}>
      <SearchField field={field} label={t("Find in conversation")} placeholder={t("Find")} onInput={search} />
      <span class="find-count">{isBlank ? "" : countWords(current.value, count)}</span>
      <IconButton icon="arrow-up" label={t("Previous match")} isDisabled={count === 0} onClick={() => step(-1)} />
      <IconButton icon="arrow-down" label={t("Next match")} isDisabled={count === 0} onClick={() => step(1)} />
      <IconButton icon="close" label={t("Close find")} onClick={close} />
    </search>
  );
}

function countWords(current: number, count: number): string {
  return count === 0 ? t("No results") : t("{0} of {1}", current + 1, count);
}
