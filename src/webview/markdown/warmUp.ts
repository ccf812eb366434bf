import { parseMarkdown } from "./parse.ts";

/** One of each thing that messages are made of. */
const sample = `# Heading

Words with **strong** and _light_ ones, \`code\`, [a link](https://example.com), <b>, ~~gone~~ &amp; a \\* star.

> A quote

- one
  1. two

| a | b |
| - | - |
| 1 | 2 |

Another heading
---

\`\`\`ts
code
\`\`\`
`;

/** Makes the browser compile the lexer's patterns, which takes longer than the first picture of a chat may wait. */
export function warmUpMarkdown(): void {
  parseMarkdown(sample);
}
