export interface RowTextProps {
  class: string;
  text: string;
}

/**
 * Text of a row that its name and description say in other words. The style sheet draws it: what is seen as text in a
 * named element has to stand in its name, too, and there the names of other agents would mislead. As text it is there
 * for whatever reads the page.
 */
export function RowText({ class: name, text }: RowTextProps) {
  return (
    <span class={`row-text ${name}`} data-text={text} aria-hidden="true">
      <span class="hidden-words">{text}</span>
    </span>
  );
}
