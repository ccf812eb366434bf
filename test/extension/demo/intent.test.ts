import assert from "node:assert/strict";
import { findDeclarations } from "../../../src/extension/demo/declarations.ts";
import { type Intent, readIntent } from "../../../src/extension/demo/intent.ts";
import { readQuery } from "../../../src/extension/demo/words.ts";

function replacement(from: string, to: string, more: { within?: string; insideWords?: boolean } = {}): Intent {
  return { type: "replace", request: { from, to, insideWords: false, ...more } };
}

const intents: [string, Intent][] = [
  ["replace formatPrice with formatMoney", replacement("formatPrice", "formatMoney")],
  ["Replace `a b` by `c d`.", replacement("a b", "c d")],
  ["please rename the function foo to bar in src/cart.ts", replacement("foo", "bar", { within: "src/cart.ts" })],
  ["rename all occurrences of foo to bar everywhere", replacement("foo", "bar")],
  ["replace “Hello, World” with 'Bye' in the whole project", replacement("Hello, World", "Bye")],
  ["use foo instead of bar", replacement("bar", "foo")],
  ["substitute new for old in `src/`", replacement("old", "new", { within: "src/" })],
  ["change foo to bar", replacement("foo", "bar")],
  ["replace foo with bar, also inside longer names", replacement("foo", "bar", { insideWords: true })],
  ["fix the TODO in src/cart.ts", { type: "todo", request: { file: "src/cart.ts", all: false } }],
  ["Resolve the FIXME in `lib/x.py`.", { type: "todo", request: { file: "lib/x.py", all: false } }],
  ["fix the TODO at src/a.ts:12", { type: "todo", request: { file: "src/a.ts", line: 12, all: false } }],
  ["fix all TODOs in a.ts", { type: "todo", request: { file: "a.ts", all: true } }],
  ["fix the todo", { type: "todo", request: { all: false } }],
  ["Explain src/cart.ts", { type: "outline", file: "src/cart.ts" }],
  ["Fix the problems that the editor reports.", { type: "problems" }],
  ["Give me a tour of this project: what it does and where things are.", { type: "tour" }],
  ["Where is the overview rendered?", { type: "question", text: "Where is the overview rendered?" }],
  ["how do I replace the battery?", { type: "question", text: "how do I replace the battery?" }],
  ["show where errors are logged", { type: "question", text: "show where errors are logged" }],
  ["formatPrice", { type: "question", text: "formatPrice" }],
  ["change the button to be blue", { type: "unknown" }],
  ["What can you do?", { type: "unknown" }],
  ["hello", { type: "unknown" }],
  ["", { type: "unknown" }],
];

describe("what the demo model takes a message for", () => {
  for (const [text, expected] of intents) {
    it(`${JSON.stringify(text)} is ${expected.type === "unknown" ? "nothing it can do" : `a ${expected.type}`}`, () => {
      assert.deepEqual(readIntent(text), expected);
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
      readIntent(page);
      assert.ok(readQuery(`Where is this? ${page}`).terms.length <= 6);
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
