import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { inflateRawSync } from "node:zlib";
import { releaseNotes } from "../../scripts/package/releaseNotes.mjs";

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, "../..");

describe("The package that is published", () => {
  let out: string;
  let vsix: string;
  /** Paths in the package. */
  let files: string[];
  const readPacked = (file: string) => readFile(path.join(out, "extension", file), "utf8");

  before(async function packageOnce() {
    this.timeout(60_000);
    out = await mkdtemp(path.join(os.tmpdir(), "arbor-package-"));
    await run(process.execPath, [path.join(root, "scripts/package.mjs"), "--pre-release", "--out", out], { cwd: root });
    vsix = path.join(out, `arbor-agent-${JSON.parse(await readPacked("package.json")).version}.vsix`);
    files = namesInZip(await readFile(vsix)).map((name) => name.replace(/^extension\//, ""));
  });
  after(() => rm(out, { recursive: true, force: true }));

  it("is no larger than 3 MB, and holds all that was staged", async () => {
    const { size } = await stat(vsix);
    assert.ok(size > 1_000_000 && size <= 3_000_000, `${size} bytes`);
    const staged = (await readdir(path.join(out, "extension"), { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile(),
    );
    // Beside those, the manifest and the types of the files; .vscodeignore itself says what is packaged.
    assert.equal(files.length, staged.length + 1);
  });

  it("holds what runs and what is read, and no sources, maps, tests or documents", () => {
    const known =
      /^(?:extension\.vsixmanifest|\[Content_Types\]\.xml|package(?:\.nls(?:\.\w+)?)?\.json|readme\.md|changelog\.md|LICENSE\.txt|NOTICE|api\/arbor\.d\.ts|l10n\/bundle\.l10n\.\w+\.json|media\/[\w/-]+\.(?:svg|png)|dist\/(?:[\w-]+|chunks\/[\w.-]+|webview\/[\w/.-]+)\.js|dist\/webview\/[\w.-]+\.(?:css|ttf)|dist\/grammars\/[\w-]+\.wasm)$/;
    assert.deepEqual(
      files.filter((file) => !known.test(file)),
      [],
    );
    assert.ok(files.includes("LICENSE.txt") && files.includes("NOTICE") && files.includes("dist/extension.js"));
  });

  it("starts with one script and what that shares with its worker, and finds what loads later", async () => {
    const importsOf = async (file: string) =>
      [...(await readPacked(file)).matchAll(/(?:from|import|import\()\s*"(\.[^"]+)"/g)].map(
        ([statement, name = ""]) => ({
          file: path.posix.join(path.posix.dirname(file), name),
          isStatic: !statement.startsWith("import("),
        }),
      );
    const atStart = (await importsOf("dist/extension.js")).filter(({ isStatic }) => isStatic);
    const ofWorker = new Set((await importsOf("dist/markdownWorker.js")).map(({ file }) => file));
    assert.deepEqual(
      atStart.filter(({ file }) => !ofWorker.has(file)),
      [],
    );
    const scripts = files.filter((file) => /^dist\/(?:chunks\/)?[\w.-]+\.js$/.test(file));
    const imported = (await Promise.all(scripts.map(importsOf))).flat();
    assert.ok(imported.length > 200, `${imported.length} imports`);
    assert.deepEqual(
      imported.filter(({ file }) => !files.includes(file)),
      [],
    );
  });

  it("has each file that its manifest and its readme name", async () => {
    const named = [...(await readPacked("package.json")).matchAll(/"((?:\.\/)?(?:media|dist)\/[^"]+)"/g)];
    const shown = [...(await readPacked("README.md")).matchAll(/(?:\]\(|src=")(?!https?:|#)([^)"\s]+)/g)];
    assert.ok(named.length > 3);
    for (const [, file = ""] of [...named, ...shown]) assert.ok(files.includes(file.replace("./", "")), file);
  });

  it("is marked as a pre-release where that was asked for", async () => {
    const manifest = await entryOf(vsix, "extension.vsixmanifest");
    assert.match(manifest.toString("utf8"), /Id="Microsoft\.VisualStudio\.Code\.PreRelease" Value="true"/);
  });

  it("names each package that is bundled, with a licence that allows it and with its text", async () => {
    const [, ...notices] = (await readPacked("NOTICE")).split(`\n\n${"-".repeat(80)}\n\n`);
    const titles = notices.flatMap((notice) => notice.split("\n\n")[0]?.split("\n") ?? []);
    const packages = titles.flatMap((title) => /^(\S+) \S+ \((.+)\)$/.exec(title)?.slice(1, 3) ?? []);
    const licences = new Set(packages.filter((_, index) => index % 2 === 1));
    const allowed = ["MIT", "ISC", "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-4.0"];
    assert.deepEqual(
      [...licences].filter((licence) => !allowed.includes(licence)),
      [],
    );
    const { dependencies } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
    const unnamed = Object.keys(dependencies).filter((name) => !packages.includes(name));
    assert.deepEqual(unnamed, []);
    for (const notice of notices) assert.match(notice, /copyright|\(c\)|licen[cs]e/i, notice.slice(0, 100));
    assert.ok(Math.min(...notices.map((notice) => notice.length)) > 500, "a licence has no text");
  });
});

describe("Release notes", () => {
  const changelog = "# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [0.2.0] - 2026-11-23\n\n### Added\n\n- Old.\n";

  it("have a dated section of the version, below what is unreleased", async () => {
    const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
    const sections = (await readFile(path.join(root, "CHANGELOG.md"), "utf8")).match(/^## .*$/gm) ?? [];
    assert.equal(sections[0], "## [Unreleased]");
    assert.match(sections[1] ?? "", /^## \[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/);
    assert.ok(sections[1]?.startsWith(`## [${version}]`), `${sections[1]} is not ${version}`);
  });

  it("are what the changelog says of the version, and what is unreleased before it has an entry", () => {
    assert.equal(releaseNotes(changelog, "0.2.0"), "# Arbor 0.2.0\n\n### Added\n\n- Old.\n");
    assert.equal(releaseNotes(changelog, "0.3.0"), "# Arbor 0.3.0\n\n- New.\n");
    assert.throws(() => releaseNotes("# Changelog\n", "0.3.0"), /says nothing of 0\.3\.0/);
  });
});

interface ZipEntry {
  name: string;
  method: number;
  compressed: number;
  at: number;
}

/** What the directory at the end of a zip file lists. */
function entriesInZip(zip: Buffer): ZipEntry[] {
  const end = zip.lastIndexOf(Buffer.from("PK\u0005\u0006"));
  let at = zip.readUInt32LE(end + 16);
  return Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    const nameLength = zip.readUInt16LE(at + 28);
    const entry = {
      name: zip.toString("utf8", at + 46, at + 46 + nameLength),
      method: zip.readUInt16LE(at + 10),
      compressed: zip.readUInt32LE(at + 20),
      at: zip.readUInt32LE(at + 42),
    };
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
    return entry;
  });
}

const namesInZip = (zip: Buffer) => entriesInZip(zip).map(({ name }) => name);

async function entryOf(file: string, name: string): Promise<Buffer> {
  const zip = await readFile(file);
  const entry = entriesInZip(zip).find((each) => each.name === name);
  assert.ok(entry !== undefined, name);
  const start = entry.at + 30 + zip.readUInt16LE(entry.at + 26) + zip.readUInt16LE(entry.at + 28);
  const bytes = zip.subarray(start, start + entry.compressed);
  return entry.method === 0 ? bytes : inflateRawSync(bytes);
}
