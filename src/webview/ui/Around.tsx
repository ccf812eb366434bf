import type { ComponentChildren } from "preact";

/** Stands in a sentence for what is drawn there. */
export const place = "\u0000";

export interface AroundProps {
  /** With `place` in it. */
  words: string;
  class?: string;
  /** Takes the place. */
  children: ComponentChildren;
}

/** A sentence with an element in it: where that stands is for each language to say. */
export function Around({ words, class: name, children }: AroundProps) {
  const [before = "", after = ""] = words.split(place);
  return (
    <>
      {before !== "" && <span class={name}>{before}</span>}
      {children}
      {after !== "" && <span class={name}>{after}</span>}
    </>
  );
}
