/** Everything that markdown can show, in one answer. */
export const longAnswer = `## How the cache works

The cache keeps **parsed documents** by *path and version*. It lives in \`src/cache.ts:12\` and is filled by [the loader](src/loader.ts#L40); see also <https://example.com/docs/cache>.

1. A request asks for a path
2. The version on disk is compared
   - same version: the parsed document is returned
   - another version: it is parsed again
3. The result is kept for ten minutes

\`\`\`ts
export class Cache<Value> {
  readonly #entries = new Map<string, Entry<Value>>();

  get(path: string, version: number): Value | undefined {
    const entry = this.#entries.get(path);
    return entry?.version === version ? entry.value : undefined; // a long line that has to scroll inside its box
  }
}
\`\`\`

### Why the first request is slow

> Nothing is parsed before it is asked for, so the first request pays for all of it.

| step | time | share |
|:--|--:|:-:|
| read | 12 ms | 4 % |
| parse | 240 ms | 83 % |
| index | 38 ms | 13 % |

- [x] measured
- [ ] warmed up at start

---

Raw HTML such as <b onclick="alert(1)">this</b> stays text, and so does ![a picture](https://evil.test/x.png). ~~Old advice~~ was removed.`;
