/**
 * Characters that draw nothing, draw like a blank, reorder their neighbours, or end a line in some programs: what is shown to
 * be decided about, by the host and in the panel, has none of them as they are. For a character class with the flag `u`.
 */
export const unseenCharacters = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800`;

/** Blanks that are no space. */
export const oddBlanks = String.raw`(?! )\p{Zs}`;
