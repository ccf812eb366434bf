import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { bundle, manifestWords, sourceWords } from "../../scripts/words/source.mjs";

const root = path.resolve(import.meta.dirname, "../..");
const places = (text: string) => [...text.matchAll(/\{\d+\}/g)].map(([place]) => place).sort();

describe("The words of the product", () => {
  it("are all there in German, and German has no others", async () => {
    const source = [...(await sourceWords()).keys()].sort();
    assert.deepEqual(Object.keys(await bundle("de")).sort(), source);
  });

  it("keep their places in German", async () => {
    for (const [english, german] of Object.entries(await bundle("de"))) {
      assert.deepEqual(places(german), places(english), english);
      assert.notEqual(german.trim(), "", english);
    }
  });

  it("of the manifest are all there in English and German", async () => {
    const manifest = await readFile(path.join(root, "package.json"), "utf8");
    const named = [...manifest.matchAll(/"%([^%"]+)%"/g)].map(([, name]) => name ?? "").sort();
    assert.ok(named.length > 100, "the manifest takes its words from the bundles");
    for (const language of [undefined, "de"]) {
      const words = await manifestWords(language);
      assert.deepEqual(Object.keys(words).sort(), [...new Set(named)].sort());
      for (const [name, text] of Object.entries(words)) assert.notEqual(text.trim(), "", name);
    }
  });
});
