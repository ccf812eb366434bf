/**
 * Characters that draw nothing, draw like a blank, reorder their neighbours, or end a line in some programs; and the
 * brackets that show them here, so that nothing can be written to look like one.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800⟨⟩]|(?! )\p{Zs}/gu;

/**
 * A text in which every character can be seen: two texts that differ are shown differently. Lines stay lines; anything
 * else that hides is written as its code point, like ⟨U+200B⟩.
 */
export function visibleText(text: string): string {
  return text.replace(unseen, (character) => (character === "\n" ? "\n" : codePoint(character)));
}

function codePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
