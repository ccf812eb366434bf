import assert from "node:assert/strict";
import {
  moduleSpecifiers,
  movedAlias,
  movedSpecifier,
  type Naming,
  namingOf,
  specifierFor,
} from "../../../src/extension/tools/importEdits.ts";

describe("the modules that a script imports", () => {
  const script = [
    'import a, { type B } from "./a";',
    "import './side';",
    'export * from "./c.js"; // from "./comment"',
    "/* import './block' */ const d = require('./d');",
    'const text = "import x from \'./text\'"; const e = await import("./e");',
    "const f = `import f from './template'`;",
    'jest.mock("./g"); type H = typeof import("./h"); console.log("from", "./no");',
  ].join("\r\n");

  it("are those of its code, not of comments and texts", () => {
    const found = moduleSpecifiers(script).map(({ text }) => text);
    assert.deepEqual(found, ["./a", "./side", "./c.js", "./d", "./e", "./g", "./h"]);
  });

  it("are where they are said to be", () => {
    for (const { start, end, text } of moduleSpecifiers(script)) assert.equal(script.slice(start, end), text);
  });
});

describe("a relative specifier", () => {
  const cases: [specifier: string, importer: string, file: string, naming: Naming | undefined, others?: string[]][] = [
    ["./cart", "src/a.ts", "src/cart.ts", "plain"],
    ["./cart.ts", "src/a.ts", "src/cart.ts", "whole"],
    ["./cart.js", "src/a.ts", "src/cart.ts", "compiled"],
    ["./cart.js", "src/a.ts", "src/cart.ts", undefined, ["src/cart.js"]],
    ["./cart.mjs", "src/a.ts", "src/cart.mts", "compiled"],
    ["./cart", "src/a.ts", "src/cart.tsx", undefined, ["src/cart.ts"]],
    ["../cart", "src/lib/a.ts", "src/cart/index.ts", "folder"],
    ["../cart", "src/lib/a.ts", "src/cart/index.ts", undefined, ["src/cart.ts"]],
    [".", "src/a.ts", "src/index.ts", "folder"],
    ["./cart", "src/a.ts", "lib/cart.ts", undefined],
    ["../../../cart", "src/a.ts", "cart.ts", undefined],
    ["./cart.css", "src/a.ts", "src/cart.ts", undefined],
  ];
  for (const [specifier, importer, file, naming, others = []] of cases) {
    it(`${specifier} in ${importer} ${naming ?? "does not mean"} ${file}${others.length > 0 ? ` beside ${others}` : ""}`, () => {
      assert.equal(namingOf(specifier, { importer, file, exists: (path) => others.includes(path) }), naming);
    });
  }

  it("names a file as another one was named", () => {
    const named = (file: string, naming: Naming) => specifierFor(file, "src/a.ts", naming);
    assert.equal(named("src/lib/cart.ts", "plain"), "./lib/cart");
    assert.equal(named("lib/cart.ts", "whole"), "../lib/cart.ts");
    assert.equal(named("lib/cart.mts", "compiled"), "../lib/cart.mjs");
    assert.equal(named("src/cart/index.ts", "folder"), "./cart");
    assert.equal(named("src/cart.ts", "folder"), "./cart");
    assert.equal(named("src/index.ts", "folder"), "./index");
    assert.equal(named("src/cart.vue", "plain"), "./cart.vue");
  });

  it("of a moved file means the same from its new place", () => {
    assert.equal(movedSpecifier("./tax.js", "src/price.ts", "src/pricing/price.ts"), "../tax.js");
    assert.equal(movedSpecifier("../format/money", "src/cart/cart.ts", "src/format/cart.ts"), "./money");
    assert.equal(movedSpecifier("./tax", "src/price.ts", "src/cost.ts"), "./tax");
    assert.equal(movedSpecifier("..", "src/cart/a.ts", "a.ts"), "./src");
  });
});

describe("an alias", () => {
  it("ends as the path does, before and after a move", () => {
    assert.equal(movedAlias("@/cart/cart", "src/cart/cart.ts", "src/pricing/cart.ts"), "@/pricing/cart");
    assert.equal(movedAlias("@/cart/cart.ts", "src/cart/cart.ts", "src/pricing/price.ts"), "@/pricing/price.ts");
    assert.equal(movedAlias("src/cart/cart", "src/cart/cart.ts", "lib/cart.ts"), undefined);
    assert.equal(movedAlias("react", "src/cart/cart.ts", "src/pricing/cart.ts"), undefined);
  });
});
