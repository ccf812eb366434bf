import type { TextArea as TextAreaElement, TextField as TextFieldElement } from "@vscode/webview-ui-toolkit";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface TextAreaProps {
  label: string;
  placeholder: string;
  value: string;
  /** Focuses the control each time this is another object. */
  focusRequest?: object | undefined;
  /** The list that completes what is typed, and its line that Enter takes; the focus stays in the text. */
  listbox?: { list: HTMLElement | null; active: HTMLElement | null } | undefined;
  /** Is given the control itself, for what depends on its caret. */
  control?: { current: HTMLTextAreaElement | undefined };
  onInput(value: string): void;
  onKeyDown?(event: KeyboardEvent, control: HTMLTextAreaElement): void;
  /** The caret moved, or the focus left. */
  onCaret?(control: HTMLTextAreaElement): void;
  onBlur?(): void;
  onPaste?(event: ClipboardEvent): void;
}

/** A field for several lines that grows with its text. */
export function TextArea(props: TextAreaProps) {
  const { label, placeholder, value, focusRequest, listbox, control, onInput, onKeyDown, onCaret, onPaste } = props;
  const element = useRef<TextAreaElement>(null);
  useLayoutEffect(() => nameControl(element.current, label), [label]);
  useLayoutEffect(() => {
    if (focusRequest !== undefined) element.current?.focus();
  }, [focusRequest]);
  useLayoutEffect(() => {
    const own = element.current?.control;
    if (control !== undefined) control.current = own;
    own?.setAttribute("aria-autocomplete", "list");
  }, [control]);
  useLayoutEffect(() => {
    const own = element.current?.control;
    if (own !== undefined) pointTo(own, listbox);
  });
  const reportCaret = () => {
    const own = element.current?.control;
    if (own !== undefined) onCaret?.(own);
  };
  return (
    <vscode-text-area
      ref={element}
      class="text-area"
      rows={1}
      placeholder={placeholder}
      value={value}
      onInput={() => {
        onInput(element.current?.value ?? "");
        reportCaret();
      }}
      onKeyDown={(event: KeyboardEvent) => {
        const own = element.current?.control;
        if (own !== undefined) onKeyDown?.(event, own);
      }}
      onKeyUp={reportCaret}
      onClick={reportCaret}
      onBlur={props.onBlur}
      onPaste={onPaste}
    />
  );
}

/** By elements, since the control is in a shadow tree, from which no id outside can be named. */
function pointTo(control: HTMLTextAreaElement, listbox: TextAreaProps["listbox"]): void {
  control.ariaControlsElements = listbox?.list ? [listbox.list] : null;
  control.ariaActiveDescendantElement = listbox?.active ?? null;
  if (listbox === undefined) control.removeAttribute("aria-haspopup");
  else control.setAttribute("aria-haspopup", "listbox");
}

/** Names a text control: the toolkit writes a name of its own ("Text area") over ours when the element is connected. */
export function nameControl(element: TextAreaElement | TextFieldElement | null, label: string): void {
  element?.setAttribute("aria-label", label);
}
