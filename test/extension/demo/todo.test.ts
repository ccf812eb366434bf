import assert from "node:assert/strict";
import { demoWorld } from "../../support/demoWorld.ts";

/** A TODO, and the file after it is fixed. */
const fixes: [string, string, string, string][] = [
  [
    "an early return",
    "a.ts",
    "export function last(values: number[]): number {\n  // TODO: return 0 when the list is empty\n  return values.length;\n}\n",
    "export function last(values: number[]): number {\n  if (values.length === 0) return 0;\n  return values.length;\n}\n",
  ],
  [
    "a throw above a method with a long head",
    "a.ts",
    "class Box {\n  // TODO: throw a RangeError if the size is negative\n  grow(\n    size: number,\n  ): void {\n    this.size += size;\n  }\n}\n",
    'class Box {\n  grow(\n    size: number,\n  ): void {\n    if (size < 0) throw new RangeError("grow: the size is negative");\n    this.size += size;\n  }\n}\n',
  ],
  [
    "a state to handle, by the return type",
    "a.ts",
    "/** Names.\n * TODO: handle undefined\n */\nexport const names = (text: string | undefined): string[] => {\n  return text.split();\n};\n",
    "/** Names.\n */\nexport const names = (text: string | undefined): string[] => {\n  if (text === undefined) return [];\n  return text.split();\n};\n",
  ],
  [
    "a validation",
    "a.ts",
    "function pay(amount: number) {\n\t// FIXME(jo): add validation for the amount\n\treturn amount;\n}\n",
    'function pay(amount: number) {\n\tif (!Number.isFinite(amount)) throw new RangeError("amount has to be a finite number");\n\treturn amount;\n}\n',
  ],
  [
    "a rename in this file",
    "a.py",
    "# TODO: rename old to young\nold = 1\nolder = old\n",
    "young = 1\nolder = young\n",
  ],
  [
    "a line to remove",
    "a.ts",
    "const a = 1;\nconst b = 2; // TODO: remove this line\nconst c = 3;\n",
    "const a = 1;\nconst c = 3;\n",
  ],
  [
    "an unused import",
    "a.ts",
    'import { a, b } from "./x.ts";\n// TODO: remove the unused import b\nexport const c = a;\n',
    'import { a } from "./x.ts";\nexport const c = a;\n',
  ],
  [
    "a rounding",
    "a.ts",
    "const share = (of: number): number => {\n  // TODO: round to two decimals\n  return of / 3;\n};\n",
    "const share = (of: number): number => {\n  return Math.round((of / 3) * 100) / 100;\n};\n",
  ],
  [
    "a default",
    "a.ts",
    "// TODO: default the quantity to 1\nfunction add(id: string, quantity: number): void {\n}\n",
    "function add(id: string, quantity: number = 1): void {\n}\n",
  ],
  [
    "debug output",
    "a.ts",
    "function f() {\n  // TODO: remove the debug output\n  console.log(1);\n  return 2;\n}\n",
    "function f() {\n  return 2;\n}\n",
  ],
  [
    "one value for another, near the TODO alone",
    "a.ts",
    "const first = 0.2;\nfunction tax(net: number) {\n  // TODO: use taxRate instead of 0.2\n  return net * 0.2;\n}\n",
    "const first = 0.2;\nfunction tax(net: number) {\n  return net * taxRate;\n}\n",
  ],
];

describe("the demo model, asked to fix a TODO", () => {
  for (const [what, path, before, after] of fixes) {
    it(`does ${what}`, async () => {
      const world = demoWorld({ files: { [path]: before } });
      const answer = await world.ask(`fix the TODO in ${path}`);
      assert.equal(world.workspace.files.get(path), after);
      assert.equal(world.review.proposals.length, 1);
      assert.match(answer, /kept/);
    });
  }

  const beyond = [
    "// TODO: make this faster",
    "// TODO: remove this once the server is updated",
    "// TODO: return the best one when in doubt",
    "// TODO: remove the unused function used",
  ];
  for (const comment of beyond) {
    it(`proposes nothing for ${comment} and shows it`, async () => {
      const text = `${comment}\nfunction used(a: number) {\n  return used(a);\n}\nused(1);\n`;
      const world = demoWorld({ files: { "src/a.ts": text } });
      const answer = await world.ask("fix the TODO in src/a.ts");
      assert.equal(world.workspace.files.get("src/a.ts"), text);
      assert.deepEqual(world.review.proposals, []);
      assert.match(answer, /beyond my rules.*`src\/a\.ts:1`/s);
    });
  }

  it("does all that it can when it is asked for all, and lists the rest", async () => {
    const text =
      "function a(x: number) {\n  // TODO: return 0 when x is negative\n  return x;\n}\n// TODO: think\nfunction b(y: string) {\n  // TODO: validate y\n  return y;\n}\n";
    const world = demoWorld({ files: { "a.ts": text } });
    const answer = await world.ask("fix all TODOs in a.ts");
    assert.match(
      String(world.workspace.files.get("a.ts")),
      /if \(x < 0\) return 0;.*\/\/ TODO: think.*y\.trim\(\) === ""/s,
    );
    assert.match(answer, /Not touched in this file:\n- `a\.ts:5` `think`/);
  });

  it("finds the file by the end of its path", async () => {
    const world = demoWorld({ files: { "deep/down/a.py": "# TODO: rename a to b\na = 1\n" } });
    await world.ask("fix the TODO in a.py");
    assert.equal(world.workspace.files.get("deep/down/a.py"), "b = 1\n");
  });

  it("asks which file when several are meant or none is named", async () => {
    const world = demoWorld({ files: { "a/x.ts": "// TODO: one\n", "b/x.ts": "// TODO: two\n" } });
    assert.match(await world.ask("fix the TODO in x.ts"), /Several files.*`a\/x\.ts`.*`b\/x\.ts`/s);
    assert.match(await world.ask("fix the TODO"), /`a\/x\.ts:1`.*`b\/x\.ts:1`/s);
    assert.match(await world.ask("fix the TODO in y.ts"), /no file `y\.ts`/);
  });
});
