import type { TextArea as Element } from "@vscode/webview-ui-toolkit";
import { useLayoutEffect, useRef } from "preact/hooks";
import { nameControl } from "./nameControl.ts";

export interface TextAreaProps {
  label: string;
  placeholder: string;
  value: string;
  /** Focuses the control each time this is another object. */
  focusRequest?: object | undefined;
  onInput(value: string): void;
  onKeyDown?(event: KeyboardEvent, control: HTMLTextAreaElement): void;
  onPaste?(event: ClipboardEvent): void;
}

/** A field for several lines that grows with its text. */
export function TextArea({ label, placeholder, value, focusRequest, onInput, onKeyDown, onPaste }: TextAreaProps) {
  const element = useRef<Element>(null);
  useLayoutEffect(() => nameControl(element.current, label), [label]);
  useLayoutEffect(() => {
    if (focusRequest !== undefined) element.current?.focus();
  }, [focusRequest]);
  return (
    <vscode-text-area
      ref={element}
      class="text-area"
      rows={1}
      placeholder={placeholder}
      value={value}
      onInput={() => onInput(element.current?.value ?? "")}
      onKeyDown={(event: KeyboardEvent) => {
        const control = element.current?.control;
        if (control !== undefined) onKeyDown?.(event, control);
      }}
      onPaste={onPaste}
    />
  );
}
