import { provideVSCodeDesignSystem, type TextField as TextFieldElement } from "@vscode/webview-ui-toolkit";
import { vsCodeTextField } from "@vscode/webview-ui-toolkit/dist/text-field/index.js";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { nameControl } from "./TextArea.tsx";

// With the first part of the panel that has such a field; the theme was read before.
provideVSCodeDesignSystem().register(vsCodeTextField());

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
  const element = useRef<TextFieldElement>(null);
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

export interface SearchFieldProps {
  field: RefObject<HTMLInputElement | null>;
  label: string;
  /** Default: the label. */
  placeholder?: string;
  /** Absent: what is typed stays in the field alone. */
  value?: string;
  onInput(text: string): void;
}

/** A field for a text that is searched for with each key. */
export function SearchField({ field, label, placeholder = label, onInput, ...rest }: SearchFieldProps) {
  return (
    <input
      ref={field}
      type="search"
      class="find-field"
      aria-label={label}
      placeholder={placeholder}
      spellcheck={false}
      autocomplete="off"
      onInput={(event) => onInput(event.currentTarget.value)}
      {...rest}
    />
  );
}
