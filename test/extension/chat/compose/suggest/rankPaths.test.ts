import assert from "node:assert/strict";
import fc from "fast-check";
import { foldersOf, rankPaths, scorePath } from "../../../../../src/extension/chat/compose/suggest/fileIndex.ts";

const paths = [
  "src/cart/price.ts",
  "src/pricing/computePrice.ts",
  "test/pricing.test.ts",
  "docs/prices.md",
  "src/pricing/",
  "package.json",
  "README.md",
];
const rank = (query: string, recent: string[] = []) => rankPaths(query, paths, { recent, limit: 3 });

describe("paths for what was typed", () => {
  it("come with the name first, from its start before its middle", () => {
    assert.deepEqual(
      new Set(rank("price")),
      new Set(["docs/prices.md", "src/cart/price.ts", "src/pricing/computePrice.ts"]),
    );
    assert.ok(rank("price").indexOf("src/cart/price.ts") < rank("price").indexOf("src/pricing/computePrice.ts"));
  });

  it("may be found by the first letters of their words, in any case", () => {
    assert.equal(rank("CP")[0], "src/pricing/computePrice.ts");
    assert.equal(rank("src/comp")[0], "src/pricing/computePrice.ts");
    assert.equal(rank("pj")[0], "package.json");
  });

  it("are those opened lately when nothing is typed, the latest first", () => {
    assert.deepEqual(rank("", ["README.md", "docs/prices.md"]).slice(0, 2), ["README.md", "docs/prices.md"]);
  });

  it("are preferred when they were opened lately", () => {
    assert.equal(rank("pric", ["test/pricing.test.ts"])[0], "test/pricing.test.ts");
  });

  it("have all the letters in their order, whatever they are", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 4 }), fc.string(), (query, path) => {
        const wanted = query.toLowerCase();
        let rest = path.toLowerCase();
        const holds = [...wanted].every((letter) => {
          const at = rest.indexOf(letter);
          rest = rest.slice(at + letter.length);
          return at >= 0;
        });
        if (scorePath(wanted, path) !== undefined) assert.ok(holds || wanted === "");
      }),
    );
  });

  it("rank twenty thousand within a keystroke", () => {
    const many = Array.from(
      { length: 20_000 },
      (_, index) => `packages/p${index % 97}/src/module${index}/index${index}.ts`,
    );
    assert.equal(rankPaths("p5mod19", many, { recent: [], limit: 30 }).length, 30);
  });

  it("know the folders that hold them", () => {
    assert.deepEqual([...foldersOf(["a/b/c.ts", "a/b/d.ts", "e.ts", "a/f/g.ts"])], ["a/b/", "a/", "a/f/"]);
  });
});
