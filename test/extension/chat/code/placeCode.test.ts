import assert from "node:assert/strict";
import { placeCode } from "../../../../src/extension/chat/code/applyCode.ts";

const file = `import { read } from "./read.ts";

export function first(text: string): number {
  if (text === "") {
    return 0;
  }
  return text.length;
}

export class Second {
  size(): number {
    return 1;
  }

  name(): string {
    return "b";
  }
}
`;

function afterOf(before: string, code: string): string {
  const placed = placeCode(before, code);
  assert.ok("after" in placed, JSON.stringify(placed));
  return placed.after;
}

describe("code of an answer in a file", () => {
  it("replaces the function that begins and ends as it does", () => {
    const code = `export function first(text: string): number {\n  return text.trim().length;\n}\n`;
    const expected = file.replace(/ {2}if \(text[\s\S]*?return text\.length;/, "  return text.trim().length;");
    assert.equal(afterOf(file, code), expected);
  });

  it("takes the indent of the place that it goes to", () => {
    const code = `name(): string {\n  const own = "c";\n\n  return own;\n}`;
    const expected = file.replace(`    return "b";`, `    const own = "c";\n\n    return own;`);
    assert.equal(afterOf(file, code), expected);
  });

  it("replaces the file when it begins like it and keeps half of its lines", () => {
    const code = file.replace(/\n {2}name[\s\S]*/, "}\n\nexport const third = 3;\n");
    assert.equal(afterOf(file, code), code);
  });

  it("is all of an empty file", () => {
    assert.equal(afterOf("\n", "const a = 1;"), "const a = 1;\n");
  });

  it("keeps the line ends of the file", () => {
    const before = "a();\r\nif (b) {\r\n  c();\r\n}\r\nd();\r\ne();\r\nf();\r\n";
    assert.equal(afterOf(before, "if (b) {\n  c2();\n  c3();\n}"), before.replace("c();\r\n", "c2();\r\n  c3();\r\n"));
  });

  it("chooses the place that it is most alike", () => {
    const before = `it("a", () => {\n  one();\n});\nit("b", () => {\n  two();\n});\nx();\ny();\nz();\n`;
    const same = `test(() => {\n  one();\n  three();\n});\n`;
    const twice = before.replaceAll(/it\(".", /g, "test(");
    assert.equal(afterOf(twice, same), twice.replace("one();", "one();\n  three();"));
  });

  it("goes nowhere when its first or last line is not in the file, or in two places alike", () => {
    assert.deepEqual(placeCode(file, "export function third() {\n}"), { problem: "nowhere" });
    assert.deepEqual(placeCode("a {\n  1\n}\nb\nc\nd\na {\n  1\n}\n", "a {\n  2\n}"), { problem: "ambiguous" });
  });

  it("goes nowhere when it leaves parts out", () => {
    const code = `export function first(text: string): number {\n  // ... existing code ...\n}`;
    assert.deepEqual(placeCode(file, code), { problem: "leavesOut" });
  });
});
