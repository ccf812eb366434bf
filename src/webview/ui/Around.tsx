import type { ComponentChildren } from "preact";

/** In a sentence, the position of what is drawn there. */
export const inset = "\u0000";

export interface AroundProps {
  /** With `inset` in it. */
  text: string;
  class?: string;
  /** Replaces `inset`. */
  children: ComponentChildren;
}

/** A sentence with an element in it: its position is for each language to say. */
export function Around({ text, class: name, children }: AroundProps) {
  const [before = "", after = ""] = text.split(inset);
  return (
    <>
      {before !== "" && <span class={name}>{before}</span>}
      {children}
      {after !== "" && <span class={name}>{after}</span>}
    </>
  );
}
