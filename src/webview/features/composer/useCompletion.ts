import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Store } from "../../shell/store.ts";
import { caretLine, placeList } from "./caretLine.ts";
import { type Completion, completedText } from "./completion.ts";

export interface CompletionControls {
  control: { current: HTMLTextAreaElement | undefined };
  listRef: RefObject<HTMLDivElement | null>;
  /** For the text, which points to the line that Enter takes. */
  listbox: { list: HTMLElement | null; active: HTMLElement | null } | undefined;
  accept(completion: Completion): void;
  /** True for a key that the open list has taken. */
  onKey(event: KeyboardEvent): boolean;
}

/** The list of completions beside the text that has the focus. */
export function useCompletion(store: Store, run: () => void): CompletionControls {
  const { completing, composer } = store;
  const control = useRef<HTMLTextAreaElement>(undefined);
  const listRef = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<CompletionControls["listbox"]>(undefined);
  const list = completing.list.value;

  useLayoutEffect(() => {
    const element = listRef.current;
    if (list === undefined || element === null || control.current === undefined) {
      setPointed(undefined);
      return;
    }
    placeList(element, caretLine(control.current));
    const active = element.children[list.active];
    setPointed({ list: element, active: active instanceof HTMLElement ? active : null });
  }, [list]);

  function accept(completion: Completion): void {
    const open = completing.list.peek();
    if (open === undefined || control.current === undefined) return;
    replaceText(control.current, open.trigger, completedText(completion));
    completing.close();
    if (completion.kind === "mention") composer.attach(completion.suggestion.attachment);
  }

  function acceptActive(isEnter: boolean): void {
    const open = completing.list.peek();
    const completion = open?.items[open.active];
    if (completion === undefined) return;
    accept(completion);
    // What takes no words is done at once.
    if (isEnter && completion.kind === "command" && !completion.command.takesText) run();
  }

  function onKey(event: KeyboardEvent): boolean {
    if (completing.list.peek() === undefined || event.isComposing) return false;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    switch (event.key) {
      case "ArrowDown":
        completing.move(1);
        break;
      case "ArrowUp":
        completing.move(-1);
        break;
      case "Enter":
      case "Tab":
        acceptActive(event.key === "Enter");
        break;
      case "Escape":
        completing.close();
        break;
      default:
        return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  return { control, listRef, listbox: list === undefined ? undefined : pointed, accept, onKey };
}

/** As if it were typed, so that the text's own undo knows of it. */
function replaceText(control: HTMLTextAreaElement, { start, end }: { start: number; end: number }, text: string): void {
  const isFollowedBySpace = /\s/.test(control.value.charAt(end));
  control.setSelectionRange(start, isFollowedBySpace ? end + 1 : end);
  if (document.execCommand("insertText", false, text)) return;
  control.setRangeText(text, control.selectionStart, control.selectionEnd, "end");
  control.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
}
