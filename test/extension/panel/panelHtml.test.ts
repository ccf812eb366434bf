import assert from "node:assert/strict";
import { panelHtml } from "../../../src/extension/panel/panelHtml.ts";

const resources = {
  cspSource: "https://panel.test",
  nonce: "n0nce",
  script: "panel.js",
  styles: ["panel.css"],
  place: "view" as const,
};

/** What the page reads its words from. */
function wordsIn(html: string): unknown {
  const block = /<script type="application\/json" id="words">(.*?)<\/script>/s.exec(html)?.[1];
  return block === undefined ? undefined : JSON.parse(block);
}

describe("the page around the panel", () => {
  it("holds the words of the user's language, and names it", () => {
    const html = panelHtml({ ...resources, words: { Send: "Senden" }, language: "de" });
    assert.deepEqual(wordsIn(html), { Send: "Senden" });
    assert.match(html, /^<!DOCTYPE html>\n<html lang="de" data-place="view">/);
  });

  it("is English without any", () => {
    const html = panelHtml(resources);
    assert.deepEqual(wordsIn(html), {});
    assert.match(html, /<html lang="en" data-place="view">/);
  });

  it("can't be broken out of by a word", () => {
    const words = { Send: '</script><script src="https://strange.test">', Stop: "<!--" };
    const html = panelHtml({ ...resources, words });
    assert.deepEqual(wordsIn(html), words);
    assert.equal(html.match(/<\/script>/g)?.length, 2);
    assert.ok(!html.includes("<!--"));
  });

  it("82 lets nothing load from elsewhere, be it an image, a style or a font, and opens no connection", () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(panelHtml(resources))?.[1] ?? "";
    const directives = new Map(policy.split("; ").map((each) => [each.split(" ", 1)[0], each.split(" ").slice(1)]));
    assert.deepEqual(directives.get("default-src"), ["'none'"]);
    // What has no directive of its own is what the default says: connections, frames, media and workers.
    assert.deepEqual([...directives.keys()].sort(), ["default-src", "font-src", "img-src", "script-src", "style-src"]);
    const allowed = new Set([...directives.values()].flat());
    assert.deepEqual(allowed, new Set(["'none'", "'nonce-n0nce'", "https://panel.test", "data:"]));
    assert.deepEqual(directives.get("img-src"), ["https://panel.test", "data:"]);
    assert.deepEqual(directives.get("script-src"), ["'nonce-n0nce'"]);
  });

  it("lets nothing run but the script with its nonce", () => {
    const html = panelHtml({ ...resources, words: { Send: "Senden" } });
    assert.match(html, /default-src 'none'; script-src 'nonce-n0nce';/);
    assert.match(html, /<script type="module" nonce="n0nce" src="panel.js"><\/script>/);
  });
});
