import type { RefObject } from "preact";

export interface SearchFieldProps {
  field: RefObject<HTMLInputElement | null>;
  label: string;
  /** Default: the label. */
  placeholder?: string;
  /** Absent: what is typed stays in the field alone. */
  value?: string;
  onInput(text: string): void;
}

/** Where words are typed that are searched for with each key. */
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
