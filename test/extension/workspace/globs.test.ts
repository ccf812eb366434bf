import assert from "node:assert/strict";
import { expandGlobs, globBase, globMatcher } from "../../../src/extension/workspace/globs.ts";
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
  ] as const) {
    it(`${glob} ${expected ? "matches" : "does not match"} ${path}`, () => {
      assert.equal(globMatcher([glob])(path), expected);
    });
  }

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
