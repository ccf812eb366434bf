import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseMarkdown } from "../../../src/webview/markdown/parse.ts";
import type { Block, Inline } from "../../../src/webview/markdown/structure.ts";
import { projectRoot } from "../support/projectRoot.ts";

const blockTypes = new Set(["paragraph", "heading", "code", "quote", "list", "table", "rule", "plain"]);

/** Every inline element anywhere in the blocks; fails on a kind of block that is not known to be harmless. */
function inlinesIn(blocks: readonly Block[]): Inline[] {
  return blocks.flatMap((block) => {
    assert.ok(blockTypes.has(block.type), block.type);
    switch (block.type) {
      case "paragraph":
      case "heading":
        return block.children.flatMap(withChildren);
      case "quote":
        return inlinesIn(block.blocks);
      case "list":
        return block.items.flatMap((item) => inlinesIn(item.blocks));
      case "table":
        return [...block.header, ...block.rows.flat()].flat().flatMap(withChildren);
      default:
        return [];
    }
  });
}

function withChildren(inline: Inline): Inline[] {
  return "children" in inline ? [inline, ...inline.children.flatMap(withChildren)] : [inline];
}

function only(text: string): Inline[] {
  const [block] = parseMarkdown(text).blocks;
  return block?.block.type === "paragraph" ? block.block.children : [];
}

describe("markdown as a safe structure", () => {
  it("shows raw HTML as text", () => {
    assert.deepEqual(only("a <b onclick=x>b</b>"), [{ type: "text", text: "a <b onclick=x>b</b>" }]);
    const [block] = parseMarkdown("<script>\nalert(1)\n</script>").blocks;
    assert.deepEqual(block?.block, { type: "plain", text: "<script>\nalert(1)\n</script>" });
  });

  it("shows character references as the characters they mean", () => {
    assert.deepEqual(only("a &lt;b&gt; &amp; &#x41; &unknown; &#0;"), [
      { type: "text", text: "a <b> & A &unknown; \ufffd" },
    ]);
  });

  it("82 turns an image into a link, never into a request", () => {
    const target = { kind: "url", href: "https://evil.test/x.png" };
    assert.deepEqual(only("![cat](https://evil.test/x.png)"), [
      { type: "link", target, children: [{ type: "text", text: "image: cat" }] },
    ]);
  });

  it("keeps the words of a refused link and shows its address", () => {
    assert.deepEqual(only("[click](javascript:alert(1))"), [{ type: "text", text: "click (javascript:alert(1))" }]);
  });

  it("marks what is done in a task list", () => {
    const [block] = parseMarkdown("- [x] done\n- [ ] open\n- plain").blocks;
    assert.ok(block?.block.type === "list");
    assert.deepEqual(
      block.block.items.map((item) => item.isChecked),
      [true, false, undefined],
    );
  });

  it("81 lets no payload of the corpus become a link that is neither web, mail nor a workspace path", () => {
    const file = path.join(projectRoot, "../shared/corpora/xss.json");
    let corpus: { rows: { id: string; payload: string }[] };
    try {
      corpus = JSON.parse(readFileSync(file, "utf8"));
    } catch {
      console.log(`The payload corpus is not at ${file}.`);
      return;
    }
    for (const { id, payload } of corpus.rows) {
      for (const inline of inlinesIn(parseMarkdown(payload).blocks.map(({ block }) => block))) {
        const target = inline.type === "link" || inline.type === "code" ? inline.target : undefined;
        if (target === undefined) continue;
        if (target.kind === "url") assert.match(target.href, /^(?:https?|mailto):/i, id);
        else assert.doesNotMatch(target.path, /^[/~\\]|\.\.\/|:/, id);
      }
    }
  });
});
