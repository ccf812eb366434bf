import type { TextField as Element } from "@vscode/webview-ui-toolkit";
import { useLayoutEffect, useRef } from "preact/hooks";
import { nameControl } from "./nameControl.ts";

export interface TextFieldProps {
  label: string;
  /** Shown while it is empty; by default the label. */
  placeholder?: string;
  value: string;
  isFocused?: boolean;
  onInput(value: string): void;
  onKeyDown(event: KeyboardEvent): void;
}

/** A field for one line. */
export function TextField({ label, placeholder = label, value, isFocused, onInput, onKeyDown }: TextFieldProps) {
  const element = useRef<Element>(null);
  useLayoutEffect(() => nameControl(element.current, label), [label]);
  useLayoutEffect(() => {
    if (isFocused === true) element.current?.focus();
  }, [isFocused]);
  return (
    <vscode-text-field
      ref={element}
      class="text-field"
      placeholder={placeholder}
      value={value}
      onInput={() => onInput(element.current?.value ?? "")}
      onKeyDown={onKeyDown}
    />
  );
}
