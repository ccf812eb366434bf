import assert from "node:assert/strict";
import { excludingMatcher, expandGlobs, globBase, globMatcher } from "../../../src/extension/workspace/globs.ts";
import { globsInRoot } from "../../../src/extension/workspace/scopedGlobs.ts";

describe("Globs", () => {
  it("are written out from braces and commas", () => {
    assert.deepEqual(expandGlobs("src/{a,b/{c,d}}.ts, *.md"), ["src/a.ts", "src/b/c.ts", "src/b/d.ts", "*.md"]);
    assert.deepEqual(expandGlobs("./x{y"), ["x{y"]);
    assert.deepEqual(expandGlobs(" , "), []);
  });

  for (const [glob, path, expected] of [
    ["*.ts", "src/deep/a.ts", true],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["src/*.ts", "app/src/a.ts", false],
    ["**/src/*.ts", "app/src/a.ts", true],
    ["src", "src/deep/a.ts", true],
    ["/a.ts", "src/a.ts", false],
    ["A.ts", "a.ts", false],
    ["!x", "!x", true],
    ["#x", "#x", true],
    ["*.js", "three.js/readme.md", false],
    ["three.js", "three.js/readme.md", true],
    ["src/**", "src/deep/a.ts", true],
    ["src/**", "src", false],
    ["src/**/a.ts", "src/a.ts", true],
    ["[ab].ts", "b.ts", true],
    ["[!ab].ts", "b.ts", false],
    ["[z-a].ts", "b.ts", false],
    ["a[.ts", "a[.ts", true],
    ["a\\*.ts", "a*.ts", true],
    ["a\\*.ts", "ab.ts", false],
    ["?.ts", "src/é.ts", true],
    ["a.b", "axb", false],
  ] as const) {
    it(`${glob} ${expected ? "matches" : "does not match"} ${path}`, () => {
      assert.equal(globMatcher([glob])(path), expected);
    });
  }

  it("take no longer on a long name for having many stars", () => {
    const matches = globMatcher([`${"*".repeat(40)}x`]);
    assert.equal(matches("a".repeat(10_000)), false);
  });

  it("leave out all that is below a folder", () => {
    assert.equal(excludingMatcher(["*.js"])("three.js/readme.md"), true);
    assert.equal(excludingMatcher(["*.js"])("readme.md"), false);
  });

  it("tell the folder they start from", () => {
    assert.deepEqual(globBase("src/app/**"), { base: "src/app", everything: true });
    assert.deepEqual(globBase("src/**/*.ts"), { base: "src", everything: false });
    assert.deepEqual(globBase("**/*"), { base: "", everything: true });
    assert.deepEqual(globBase("src/*"), { base: "src", everything: false });
    assert.deepEqual(globBase("src/a.ts"), { base: "", everything: false });
  });

  it("that begin with the name of one of several roots concern that one", () => {
    const names = ["app", "lib"];
    assert.equal(globsInRoot("app/src/**", "app", names), "/src/**");
    assert.equal(globsInRoot("app/src/**", "lib", names), undefined);
    assert.equal(globsInRoot("app,*.md", "lib", names), "*.md");
    assert.equal(globsInRoot("app", "app", names), "**");
    assert.equal(globsInRoot("app/src/**", "app", ["app"]), "app/src/**");
  });
});
