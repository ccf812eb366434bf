import assert from "node:assert/strict";
import {
  excludingMatcher,
  expandGlobs,
  globBase,
  globMatcher,
  globsInRoot,
} from "../../../../src/extension/workspace/search/globs.ts";

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

  for (const [glob, path] of [
    [`${"*a".repeat(40)}b`, "a".repeat(2_000)],
    [`${"**/a/".repeat(40)}b`, `${"a/".repeat(1_000)}c`],
    [`${"**/*a*a/".repeat(20)}b`, `${"aaaa/".repeat(400)}c`],
  ] as const) {
    it(`take no longer on a long path for beginning with ${glob.slice(0, 10)} many times`, () => {
      const start = performance.now();
      assert.equal(globMatcher([glob])(path), false);
      assert.ok(performance.now() - start < 1_000);
    });
  }

  it("are refused when their braces mean too many", () => {
    assert.throws(() => expandGlobs("{a,b}".repeat(20)), /more than 1,000 alternatives/);
    assert.throws(() => expandGlobs("{a,{b,{c,d}}}".repeat(12)), /more than 1,000 alternatives/);
    assert.throws(() => expandGlobs(Array.from({ length: 1_001 }, (_, index) => `f${index}`).join(",")), /1,000/);
    assert.equal(expandGlobs("{a,b}".repeat(9)).length, 512);
  });

  it("leave out all that is below a folder", () => {
    assert.equal(excludingMatcher(["*.js"])("three.js/readme.md"), true);
    assert.equal(excludingMatcher(["*.js"])("readme.md"), false);
  });

  it("name the folder they start from", () => {
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
