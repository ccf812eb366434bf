import assert from "node:assert/strict";
import { convertPage } from "../../../src/extension/fetching/convertPage.ts";
import { markdownOf } from "../../../src/extension/fetching/markdown.ts";
import { patienceMs } from "../terminal/support.ts";

const page = new URL("https://x.test/docs/page");
const convert = (html: string) => markdownOf(html, page);
const signal = new AbortController().signal;

describe("a web page as markdown", () => {
  it("has headings, lists, code and emphasis", () => {
    const html =
      "<h1>One</h1><p>Some <b>bold</b> <code>code</code></p><ul><li>a<li>b</ul><pre><code class=language-js>let a = 1;\nlet b;</code></pre>";
    assert.equal(convert(html), "# One\n\nSome **bold** `code`\n\n-   a\n-   b\n\n```js\nlet a = 1;\nlet b;\n```");
  });

  it("has no scripts, styles, frames or drawings", () => {
    const html =
      "<script>evil()</script><style>x</style><noscript>n</noscript><iframe src=x>f</iframe><svg><text>s</text></svg><template>t</template>text";
    assert.equal(convert(html), "text");
  });

  it("makes links absolute and drops those that lead nowhere", () => {
    const html =
      '<a href="../a?b">up</a> <a href="#x">here</a> <a href="javascript:evil()">run</a> <a href="mailto:a@x.test">mail</a>';
    assert.equal(convert(html), "[up](https://x.test/a?b) here run mail");
  });

  it("keeps the words of images, not their data", () => {
    assert.equal(convert('<img src="data:image/png;base64,AAAA" alt="a  chart"> <img src="b.png">'), "a chart");
  });

  it("draws tables", () => {
    const html = "<table><tr><th>a</th><th>b</th></tr><tr><td>1|2</td><td><p>x</p><p>y</p></td></tr></table>";
    assert.equal(convert(html), "| a | b |\n| 1\\|2 | x y |");
  });
});

describe("a web page that was fetched", function () {
  this.timeout(patienceMs);
  it("is converted beside the editor's thread and leads with its title", async () => {
    const html = "<html><head><title>\n The title </title><style>p{}</style></head><body><p>A <b>b</b></body></html>";
    assert.equal(await convertPage(html, page, { signal, timeMs: patienceMs }), "Title: The title\n\nA **b**");
  });

  it("is plain text when converting takes too long", async () => {
    const html = `<head><script>evil()</script></head><STYLE>p{}</STYLE>${"<div>".repeat(50_000)}deep  <b>words</b>\n \n<p>end`;
    assert.equal(await convertPage(html, page, { signal, timeMs: 1 }), "deep words\nend");
  });

  it("is nothing when the run is stopped meanwhile", async () => {
    const stop = new AbortController();
    const converting = convertPage("<p>".repeat(100_000), page, { signal: stop.signal });
    stop.abort();
    await assert.rejects(converting, { name: "AbortError" });
  });
});
