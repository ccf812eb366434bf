import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { locate, pathOf, type Root, refuseLinksOutside, rootNames } from "../../../src/extension/workspace/paths.ts";

const single: Root[] = [{ name: "app", path: "/work/app" }];
const several: Root[] = [...single, { name: "lib", path: "/work/lib" }];
const windows: Root[] = [{ name: "app", path: "C:/work/app" }];

function relative(path: string, roots = single, platform: NodeJS.Platform = "linux"): string {
  const place = locate(path, roots, platform);
  return pathOf(place.root, place.relative, roots);
}

describe("Paths of the model", () => {
  for (const [path, expected] of [
    ["src/a.ts", "src/a.ts"],
    ["./src//a.ts", "src/a.ts"],
    ["src/../b.ts", "b.ts"],
    ["/work/app/src/a.ts", "src/a.ts"],
    ["/work/app", ""],
    [".", ""],
    ["a\\b", "a\\b"],
  ] as const) {
    it(`read ${JSON.stringify(path)} as ${JSON.stringify(expected)}`, () => assert.equal(relative(path), expected));
  }

  for (const path of ["..", "../x", "a/../../x", "/work/application/a.ts", "/etc/passwd", "/work/app/../x"]) {
    it(`refuse ${path} as outside`, () => assert.throws(() => relative(path), /outside the workspace/));
  }

  for (const path of ["a\0b", "\\\\server\\share", "//server/share", "\\??\\UNC\\x", "file:///etc/passwd"]) {
    it(`refuse ${JSON.stringify(path)} before anything is asked`, () => {
      assert.throws(() => relative(path), /not a path that can be used/);
    });
  }

  for (const path of [
    "a.txt::$DATA",
    "CON",
    "nul.txt",
    "a/COM1",
    "x.",
    "x ",
    "PROGRA~1/a",
    "\\\\?\\C:\\x",
    "\\\\.\\pipe\\x",
  ]) {
    it(`refuse ${JSON.stringify(path)} on Windows`, () => {
      assert.throws(() => relative(path, windows, "win32"), /not a path that can be used/);
    });
  }

  it("take backslashes and another case of the drive on Windows", () => {
    assert.equal(relative("src\\a.ts", windows, "win32"), "src/a.ts");
    assert.equal(relative("c:\\work\\APP\\src\\a.ts", windows, "win32"), "src/a.ts");
    assert.throws(() => relative("D:\\x", windows, "win32"), /outside the workspace/);
  });

  it("begin with the folder's name where several are open", () => {
    assert.equal(relative("lib/src/a.ts", several), "lib/src/a.ts");
    assert.equal(relative("./app", several), "app");
    assert.equal(relative("/work/lib/a.ts", several), "lib/a.ts");
    assert.throws(() => relative("src/a.ts", several), /one of app\/, lib\//);
    assert.throws(() => relative("lib/../app/a.ts", several), /outside/);
  });

  it("distinguish folders of the same name", () => {
    assert.deepEqual(rootNames(["app", "lib", "app"]), ["app", "lib", "app (2)"]);
  });
});

describe("Links of a workspace", () => {
  let scratch: string;
  let root: { name: string; path: string };
  const judge = (path: string) => refuseLinksOutside(locate(path, [root], "linux"));

  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), "arbor-links-"));
    root = { name: "ws", path: join(scratch, "ws") };
    await mkdir(join(scratch, "ws/inner"), { recursive: true });
    await mkdir(join(scratch, "ws2"));
    await writeFile(join(scratch, "ws2/secret"), "");
    await writeFile(join(scratch, "ws/a.txt"), "");
    await symlink(join(scratch, "ws2"), join(root.path, "out"));
    await symlink(join(scratch, "ws2/secret"), join(root.path, "secret"));
    await symlink(join(scratch, "ws2/new"), join(root.path, "dangling"));
    await symlink(join(root.path, "loop"), join(root.path, "loop"));
    await symlink(join(root.path, "inner"), join(root.path, "inside"));
    await symlink(root.path, join(scratch, "linked"));
  });
  after(() => rm(scratch, { recursive: true }));

  for (const path of [
    "secret",
    "out/secret",
    "out/new",
    "out/a/b/new",
    "dangling",
    "loop",
    "out/../a.txt",
    "inside/../a.txt",
  ]) {
    it(`refuses ${path}`, () => assert.rejects(judge(path), /outside the workspace/));
  }

  for (const path of ["a.txt", "inside/new", "new/a/b.txt", "inner/../a.txt", ""]) {
    it(`allows ${JSON.stringify(path)}`, () => judge(path));
  }

  it("refuses what is in a folder that is gone", async () => {
    const gone = [{ name: "ws", path: join(scratch, "gone") }];
    await assert.rejects(refuseLinksOutside(locate("a.txt", gone, "linux")), /outside the workspace/);
  });

  it("does not reveal where a link leads", async () => {
    await assert.rejects(judge("loop"), (error: Error) => !error.message.includes(scratch));
  });

  it("allows a workspace that was itself opened through a link", async () => {
    await refuseLinksOutside(locate("a.txt", [{ name: "ws", path: join(scratch, "linked") }], "linux"));
  });
});
