import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { bundle, manifestWords, sourceWords, translations } from "../../scripts/words/source.mjs";

const root = path.resolve(import.meta.dirname, "../..");
const placeholders = (text: string) => [...text.matchAll(/\{\d+\}/g)].map(([placeholder]) => placeholder).sort();

describe("User-facing texts", () => {
  it("have a German translation", async () => {
    assert.ok((await translations()).includes("de"));
  });

  it("are all translated in each language, which has no others", async () => {
    const source = [...(await sourceWords()).keys()].sort();
    for (const language of await translations()) {
      assert.deepEqual(Object.keys(await bundle(language)).sort(), source, language);
    }
  });

  it("have the same placeholders in each language", async () => {
    for (const language of await translations()) {
      for (const [english, translated] of Object.entries(await bundle(language))) {
        assert.deepEqual(placeholders(translated), placeholders(english), english);
        assert.notEqual(translated.trim(), "", english);
      }
    }
  });

  it("of the manifest are in English and in each language", async () => {
    const manifest = await readFile(path.join(root, "package.json"), "utf8");
    const named = [...manifest.matchAll(/"%([^%"]+)%"/g)].map(([, name]) => name ?? "").sort();
    assert.ok(named.length > 100, "the manifest takes its texts from the bundles");
    for (const language of [undefined, ...(await translations())]) {
      const texts = await manifestWords(language);
      assert.deepEqual(Object.keys(texts).sort(), [...new Set(named)].sort());
      for (const [name, text] of Object.entries(texts)) assert.notEqual(text.trim(), "", name);
    }
  });
});
