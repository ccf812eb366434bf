import assert from "node:assert/strict";
import { mentionsIn, withMentions } from "../../../../../src/extension/chat/compose/attach/mentions.ts";
import { attachmentSources } from "../../../../support/attachmentSources.ts";
import { memoryWorkspace } from "../../../../support/memoryWorkspace.ts";

const files = { "src/a.ts": "1\n2\n3", "my file.md": "x", "README.md": "x" };
const sources = attachmentSources({
  workspace: memoryWorkspace({ files }),
  selection: () => ({ path: "src/a.ts", startLine: 1, endLine: 2 }),
});

describe("mentions in a text", () => {
  it("begin a word, and end before the marks that end a sentence", () => {
    const text = 'See @src/a.ts, (@README.md) and @"my file.md". Mail me@example.com; a@ b @@ @.';
    assert.deepEqual(
      mentionsIn(text).map(({ name }) => name),
      ["src/a.ts", "README.md", "my file.md"],
    );
  });

  const cases: [string, object[]][] = [
    ["fix @src/a.ts", [{ kind: "file", path: "src/a.ts" }]],
    ["what is in @src/?", [{ kind: "folder", path: "src" }]],
    ['read @"my file.md"', [{ kind: "file", path: "my file.md" }]],
    ["see @src/a.ts:2-3", [{ kind: "selection", path: "src/a.ts", startLine: 2, endLine: 3 }]],
    ["see @src/a.ts#L2", [{ kind: "selection", path: "src/a.ts", startLine: 2, endLine: 2 }]],
    ["fix @problems after @terminal", [{ kind: "problems" }, { kind: "terminal" }]],
    ["explain @selection", [{ kind: "selection", path: "src/a.ts", startLine: 1, endLine: 2 }]],
    ["@explore the parser", [{ kind: "agent", name: "explore" }]],
    ["let @explore do it", []],
    ["npm i @types/node", []],
    ["@../outside @/etc/passwd @https://example.com", []],
    ["@README.md and @README.md", [{ kind: "file", path: "README.md" }]],
  ];
  for (const [text, expected] of cases) {
    it(`attach what is meant by: ${text}`, async () => {
      assert.deepEqual(await withMentions(text, [], sources), expected);
    });
  }

  it("name no agent beside the one that was picked", async () => {
    const picked = { kind: "agent" as const, name: "explore", agentId: "a1" };
    assert.deepEqual(await withMentions("@explore look", [picked], sources), [picked]);
  });
});
