import assert from "node:assert/strict";
import { readOnlyPaths, withoutPasswords } from "../../../src/extension/sandbox/guardedFiles.ts";
import {
  foldersBetween,
  inMountOrder,
  isWithin,
  type Mount,
  wrongMount,
} from "../../../src/extension/sandbox/mounts.ts";

describe("the mounts of a sandbox", () => {
  it("come with folders before what is in them, and once for each path, the strictest", () => {
    const mounts: Mount[] = [
      { kind: "hiddenFile", path: "/w/a/.env" },
      { kind: "write", path: "/w/a" },
      { kind: "write", path: "/w/a-b" },
      { kind: "read", path: "/w/a/.env" },
      { kind: "read", path: "/w/a/package.json", source: "/copy" },
      { kind: "read", path: "/w/a/package.json" },
      { kind: "write", path: "/w" },
    ];
    assert.deepEqual(
      inMountOrder(mounts).map((mount) => [mount.kind, mount.path, "source" in mount ? mount.source : undefined]),
      [
        ["write", "/w", undefined],
        ["write", "/w/a", undefined],
        ["hiddenFile", "/w/a/.env", undefined],
        ["read", "/w/a/package.json", "/copy"],
        ["write", "/w/a-b", undefined],
      ],
    );
  });

  it("know what is in a folder", () => {
    assert.deepEqual(
      ["/w", "/w/a", "/w2", "/"].map((path) => isWithin(path, "/w")),
      [true, true, false, false],
    );
    assert.ok(isWithin("/w", "/"));
    assert.deepEqual(foldersBetween("/w/a/b/c", "/w"), ["/w/a/b", "/w/a"]);
    assert.deepEqual(foldersBetween("/w/c", "/w"), []);
  });

  const outside = ["20 1 254:0 / / rw - ext4 /dev/a rw", "21 20 254:9 /sub /data rw - ext4 /dev/b rw"].join("\n");
  const mounts: Mount[] = [
    { kind: "write", path: "/w", source: "/data/my shop" },
    { kind: "read", path: "/w/package.json", source: "/data/my shop/package.json" },
    { kind: "hiddenFile", path: "/w/.env" },
    { kind: "hiddenFolder", path: "/w/.ssh" },
    { kind: "link", path: "/bin", target: "usr/bin" },
  ];
  const right = [
    "1 0 254:9 /sub/my\\040shop /w rw,nosuid - ext4 /dev/b rw",
    "2 1 254:9 /sub/my\\040shop/package.json /w/package.json ro,nosuid - ext4 /dev/b rw",
    "3 1 254:0 /tmp/empty /w/.env ro - ext4 /dev/a rw",
    "4 1 0:50 / /w/.ssh ro - tmpfs tmpfs rw",
  ];
  const check = (inside: readonly string[]) =>
    wrongMount(mounts, { inside: inside.join("\n"), outside, emptyFile: "/tmp/empty" });

  it("are right when each is what it was meant to be", () => assert.equal(check(right), undefined));

  const faults: [string, number, string | undefined, string][] = [
    ["is missing", 1, undefined, "/w/package.json"],
    ["can be written", 1, right[1]?.replace("ro,", "rw,"), "/w/package.json"],
    ["leads elsewhere", 0, right[0]?.replace("shop", "other"), "/w"],
    ["leads to another device", 0, right[0]?.replace("254:9", "254:0"), "/w"],
    ["was deleted meanwhile", 1, right[1]?.replace("package.json /w", "package.json//deleted /w"), "/w/package.json"],
    ["shows what was to be hidden", 2, right[2]?.replace("/tmp/empty", "/w/.env"), "/w/.env"],
  ];
  for (const [what, at, line, path] of faults) {
    it(`are wrong when one ${what}`, () => {
      assert.equal(check(right.flatMap((each, index) => (index === at ? (line ?? []) : each))), path);
    });
  }
});

describe("files that are read-only in the sandbox", () => {
  it("are whole folders where there are too many in them", () => {
    const many = Array.from({ length: 20 }, (_, index) => `vendor/p${index}/package.json`);
    assert.deepEqual(readOnlyPaths([...many, "package.json", "app/package.json"], 5), [
      "vendor",
      "package.json",
      "app/package.json",
    ]);
    assert.deepEqual(readOnlyPaths(many, 50), many);
  });

  it("of git come without passwords", () => {
    const settings =
      '[remote "o"]\n\turl = https://me:secret@host.test/a.git\n[http]\n\textraHeader = secret\n[user]\n\tname = x\n';
    assert.equal(
      withoutPasswords(settings),
      '[remote "o"]\n\turl = https://host.test/a.git\n[http]\n\textraHeader =\n[user]\n\tname = x\n',
    );
    assert.equal(withoutPasswords("[core]\n\tbare = false\n"), undefined);
  });
});
