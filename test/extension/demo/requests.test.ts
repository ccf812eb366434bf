import assert from "node:assert/strict";
import { findDeclarations } from "../../../src/extension/demo/declarations.ts";
import { parseQuery } from "../../../src/extension/demo/query.ts";
import { type NameReplacement, parseReplacement } from "../../../src/extension/demo/replace.ts";
import { demoWorld } from "../../support/demoWorld.ts";

const replacements: [string, NameReplacement][] = [
  ["replace formatPrice with formatMoney", { from: "formatPrice", to: "formatMoney" }],
  ["Replace `a b` by `c d`.", { from: "a b", to: "c d" }],
  ["please rename the function foo to bar in src/cart.ts", { from: "foo", to: "bar", within: "src/cart.ts" }],
  ["rename all occurrences of foo to bar everywhere", { from: "foo", to: "bar" }],
  ["replace “Hello, World” with 'Bye' in the whole project", { from: "Hello, World", to: "Bye" }],
  ["replace old with new in `src/`", { from: "old", to: "new", within: "src/" }],
];

const answers: [string, RegExp][] = [
  ["Give me a tour of this project: what it does and where things are.", /^The files:/],
  ["Where is the overview rendered?", /^I found nothing about “overview” or “rendered”/],
  ["how do I replace the battery?", /^I found nothing about “replace” or “battery”/],
  ["show where errors are logged", /^I found nothing about “errors” or “logged”/],
  ["formatPrice", /^I found nothing about “formatPrice”/],
  ["change the button to be blue", /^I am the demo model/],
  ["What can you do?", /^I am the demo model.*Find a place.*Replace a name.*choose a language model/s],
  ["hello", /^I am the demo model/],
];

describe("what the demo model takes a message for", () => {
  for (const [text, expected] of replacements) {
    it(`${JSON.stringify(text)} is a replacement`, () => {
      assert.deepEqual(parseReplacement(text), expected);
    });
  }

  for (const [text, expected] of answers) {
    it(`${JSON.stringify(text)} is answered with ${expected.source.slice(1, 20)}`, async () => {
      assert.equal(parseReplacement(text), undefined);
      assert.match(await demoWorld({ files: { "a.md": "# A\n" } }).ask(text), expected);
    });
  }
});

describe("a pasted page", () => {
  const pages = [
    "replace a with b by c in d ".repeat(5_000),
    "fix todo ".repeat(20_000),
    "`'\"“".repeat(20_000),
    " ".repeat(90_000),
  ];
  it("is read without trouble, and asks for no more than a few searches", () => {
    for (const page of pages) {
      parseReplacement(page);
      assert.ok(parseQuery(`Where is this? ${page}`).terms.length <= 6);
    }
  });

  it("declares names whole that begin like a keyword", () => {
    const texts = [
      "export const variance = (input: number): number => {",
      "const letters = async () => 1;",
      "valid: (x) => x,",
    ];
    const names = findDeclarations(texts.map((text, index) => ({ line: index + 1, text }))).map(({ name }) => name);
    assert.deepEqual(names, ["variance", "letters", "valid"]);
  });

  it("declares nothing, however long its lines are", () => {
    const lines = [
      "function ((((".repeat(9_000),
      "a ".repeat(40_000),
      "export const x: ".repeat(5_000),
      "{(".repeat(40_000),
    ];
    assert.deepEqual(findDeclarations(lines.map((text, index) => ({ line: index + 1, text }))), []);
  });
});
