import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");
/** A test's title that begins with statements: "A19, C28: results come in call order", or with the rule "(U4)" in it. */
const titled = /\b(?:it|describe)\(\s*["'`]([A-EU]\d+(?:\s*[,&]\s*[A-EU]\d+)*):/g;

async function statementsOfTests(): Promise<Map<string, string>> {
  const folder = path.join(root, "test/agent");
  const names = await readdir(folder, { recursive: true });
  const found = new Map<string, string>();
  for (const name of names.filter((each) => each.endsWith(".test.ts"))) {
    const source = await readFile(path.join(folder, name), "utf8");
    for (const [, ids = ""] of source.matchAll(titled)) {
      for (const id of ids.match(/[A-EU]\d+/g) ?? []) found.set(id, name);
    }
  }
  return found;
}

describe("The catalogue of statements", () => {
  it("numbers each group from 1, and the tests name no other numbers", async () => {
    const catalogue = await readFile(path.join(root, "docs/behaviour.md"), "utf8");
    const ids = [...catalogue.matchAll(/^- \*\*([A-EU])(\d+)\*\*/gm)].map(([, group = "", number]) => ({
      group,
      number: Number(number),
    }));
    for (const group of ["A", "B", "C", "D", "E", "U"]) {
      const numbers = ids.filter((id) => id.group === group).map(({ number }) => number);
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => index + 1),
        group,
      );
    }
    const known = new Set(ids.map(({ group, number }) => `${group}${number}`));
    const named = await statementsOfTests();
    assert.ok(named.size > 200, "tests are named by statements");
    const unknown = [...named].filter(([id]) => !known.has(id));
    assert.deepEqual(unknown, []);
  });
});
