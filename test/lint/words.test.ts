import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { bundle, manifestWords, sourceWords, translations } from "../../scripts/words/source.mjs";

const root = path.resolve(import.meta.dirname, "../..");
/** Phrases that were replaced by the editor's own terms. */
const replaced = [
  ...["this very command", "and what it spawned", "edits that wait", "ask for the like", "say why…"],
  ...["requests of its budget", "has used up its budget", "waits for a budget", "Next turn", "back into the composer"],
  ...["Asks again in", "Cut off here", "to ask again", "taken back", "by itself", "own windows", "Budget of a run"],
  ...["get back what they held", "is not taken back", "leave the conversation", "rules, not a language model"],
  ...["No model yet", "Where models come from", "which begins the names", "Its address", "Name another model"],
  ...[
    "Model of Sub-Agents",
    "What Waits for You",
    "What the Panel Asks",
    "counts from the next edit",
    "Most model requests",
  ],
  ...["look from", "wants to change", "did not take the edit", "stays pending: its lines", "stay pending: their lines"],
];
/** Buttons and modes that are named otherwise. */
const replacedNames = ["Ask", "Take back", "Tell"];
/** Translated word by word, which no one would write in English. */
const awkward =
  /\bHow .+ is called\b|\bcall it\b|\b[Ii]s no (?!longer)|\bmakes? no sense|\bmake sense\b|sign of life|^The most\b|by themselves|of yours\b|of Arbor's\b|\bcolour/;
/** What German texts have one word for, which is another one. */
const otherGerman = /Werkzeug|erdicht|Rechner|Vorgabe|\bTokens\b/;

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

  it("have none of the phrases that were replaced by the editor's own terms", async () => {
    const texts = [...(await sourceWords()).keys(), ...Object.values(await manifestWords(undefined))];
    const left = texts.filter(
      (text) => replacedNames.includes(text) || replaced.some((phrase) => text.includes(phrase)),
    );
    assert.deepEqual(left, []);
  });

  it("are not translated word by word", async () => {
    const texts = [...(await sourceWords()).keys(), ...Object.values(await manifestWords(undefined))];
    assert.deepEqual(
      texts.filter((text) => awkward.test(text.replace(/\bthere is no\b/gi, ""))),
      [],
    );
  });

  it("have one word for each thing in German", async () => {
    const texts = [...Object.values(await bundle("de")), ...Object.values(await manifestWords("de"))];
    assert.deepEqual(
      texts.filter((text) => otherGerman.test(text)),
      [],
    );
  });
});
