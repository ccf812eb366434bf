import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type CompletionItem, completedText } from "./completion.ts";
import type { ComposerModel } from "./composerModel.ts";

export interface CompletionControls {
  control: { current: HTMLTextAreaElement | undefined };
  listRef: RefObject<HTMLDivElement | null>;
  /** For the text, which points to the line that Enter takes. */
  listbox: { list: HTMLElement | null; active: HTMLElement | null } | undefined;
  accept(completion: CompletionItem): void;
  /** True for a key that the open list has taken. */
  onKey(event: KeyboardEvent): boolean;
}

/** The list of completions beside the text that has the focus. */
export function useCompletion({ completion: model, draft, send }: ComposerModel): CompletionControls {
  const control = useRef<HTMLTextAreaElement>(undefined);
  const listRef = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<CompletionControls["listbox"]>(undefined);
  const list = model.list.value;

  useLayoutEffect(() => {
    const element = listRef.current;
    if (list === undefined || element === null || control.current === undefined) {
      setPointed(undefined);
      return;
    }
    positionList(element, caretLine(control.current));
    const active = element.querySelectorAll("[role=option]")[list.active];
    setPointed({ list: element, active: active instanceof HTMLElement ? active : null });
  }, [list]);

  function accept(completion: CompletionItem): void {
    const open = model.list.peek();
    if (open === undefined || control.current === undefined) return;
    replaceText(control.current, open.trigger, completedText(completion));
    model.close();
    if (completion.kind === "mention") draft.attach(completion.suggestion.attachment);
  }

  function acceptActive(isEnter: boolean): void {
    const open = model.list.peek();
    const completion = open?.items[open.active];
    if (completion === undefined) return;
    accept(completion);
    // What takes no text is done at once.
    if (isEnter && completion.kind === "command" && !completion.command.takesText) send("queue");
  }

  function onKey(event: KeyboardEvent): boolean {
    if (model.list.peek() === undefined || event.isComposing) return false;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    switch (event.key) {
      case "ArrowDown":
        model.move(1);
        break;
      case "ArrowUp":
        model.move(-1);
        break;
      case "Enter":
      case "Tab":
        acceptActive(event.key === "Enter");
        break;
      case "Escape":
        model.close();
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

/** Viewport pixels. */
interface CaretLine {
  top: number;
  bottom: number;
}

/** Longer texts are not laid out a second time only to position a list. */
const maxMeasuredLength = 20_000;

/** Where the line with the caret is; the whole control where the text is very long. */
function caretLine(control: HTMLTextAreaElement): CaretLine {
  const box = control.getBoundingClientRect();
  if (control.value.length > maxMeasuredLength) return box;
  const style = getComputedStyle(control);
  const mirror = document.createElement("div");
  mirror.className = "caret-mirror";
  for (const name of ["font", "letter-spacing", "line-height", "padding", "tab-size", "word-spacing"]) {
    mirror.style.setProperty(name, style.getPropertyValue(name));
  }
  mirror.style.width = `${control.clientWidth}px`;
  // A sign of its own, so that an empty last line has a height, too.
  mirror.textContent = `${control.value.slice(0, control.selectionStart)}|`;
  document.body.append(mirror);
  const below = mirror.getBoundingClientRect().height - Number.parseFloat(style.paddingBottom);
  mirror.remove();
  const lineHeight = Number.parseFloat(style.lineHeight) || 18;
  const bottom = Math.min(box.bottom, Math.max(box.top + lineHeight, box.top + below - control.scrollTop));
  return { top: bottom - lineHeight, bottom };
}

const gap = 4;
const margin = 6;
const maxHeight = 260;
/** Fewer pixels show too little of a list. */
const minHeight = 110;

/** Puts a list above the line, or below it where there is more room and too little above. */
function positionList(list: HTMLElement, line: CaretLine): void {
  const above = line.top - gap - margin;
  const below = window.innerHeight - line.bottom - gap - margin;
  const isAbove = above >= Math.min(minHeight, list.scrollHeight) || above >= below;
  list.style.maxHeight = `${Math.max(40, Math.min(maxHeight, isAbove ? above : below))}px`;
  list.style.top = isAbove ? "auto" : `${line.bottom + gap}px`;
  list.style.bottom = isAbove ? `${window.innerHeight - line.top + gap}px` : "auto";
}
