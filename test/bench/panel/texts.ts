/** Markdown as models write it: headings, paragraphs, lists, code. Always the same. */
const section = (index: number) => `## Step ${index}: how the part is read

The **parser** keeps \`state.ts\` in *one* place and hands out what changed since the last frame, so that nobody has to
compare two lists; see [the notes](docs/notes.md) about part ${index} and why it is small.

- the first item names the file
- the second one says **what** changes
- the third has \`code(${index})\` in it

\`\`\`ts
export function part${index}(text: string): number {
  return text.length + ${index};
}
\`\`\`
`;

export function markdownOf(characters: number): string {
  let text = "";
  for (let index = 1; text.length < characters; index++) text += `${section(index)}\n`;
  return text.slice(0, characters);
}

/** Characters of one delta: several tokens, as providers write them. */
export const deltaCharacters = 20;

/** The text in pieces of the size that models stream. */
export function deltasOf(text: string, count: number): string[] {
  const deltas: string[] = [];
  for (let start = 0; deltas.length < count; start = (start + deltaCharacters) % (text.length - deltaCharacters)) {
    deltas.push(text.slice(start, start + deltaCharacters));
  }
  return deltas;
}
