import { appendMarkdown } from "./appendMarkdown.ts";
import { emptyMarkdown } from "./parse.ts";

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

const deltaLength = 20;
const passes = 8;

/**
 * Makes the browser compile what takes a growing text apart, which takes longer than the first picture of a chat may
 * wait. Each pass is in a pause of its own.
 */
export function warmUpMarkdown(pass = 1): void {
  let parsed = emptyMarkdown;
  for (let end = deltaLength; end < sample.length; end += deltaLength) {
    const text = sample.slice(0, end);
    parsed = appendMarkdown(text, text.slice(-deltaLength), parsed).parsed;
  }
  if (pass < passes) requestIdleCallback(() => warmUpMarkdown(pass + 1));
}
