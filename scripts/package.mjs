/** `npm run package`: what is published, as out/package/arbor-agent-VERSION.vsix, with its release notes. */
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { mustRun } from "./command.mjs";
import { runScript } from "./commandLine.mjs";
import { releaseNotes } from "./package/releaseNotes.mjs";
import { stagePackage } from "./package/stage.mjs";
import { nodeModules, packageDir, root } from "./paths.mjs";

const usage = `npm run package                    writes out/package/*.vsix and out/package/release-notes.md
npm run package -- --pre-release   marked as a pre-release
npm run package -- --out DIR       into another folder`;

const maxBytes = 3_000_000;

function readArguments() {
  const { values } = parseArgs({
    options: { "pre-release": { type: "boolean" }, out: { type: "string" }, help: { type: "boolean" } },
  });
  return {
    help: values.help === true,
    isPreRelease: values["pre-release"] === true,
    out: values.out === undefined ? packageDir : path.resolve(values.out),
  };
}

await runScript({
  usage,
  readArguments,
  async main({ isPreRelease, out }) {
    const { name, version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
    const notes = releaseNotes(await readFile(path.join(root, "CHANGELOG.md"), "utf8"), version);
    const staged = path.join(out, "extension");
    await mkdir(out, { recursive: true });
    await stagePackage(staged);
    const vsix = path.join(out, `${name}-${version}.vsix`);
    const flags = ["--no-dependencies", "--allow-missing-repository", "--no-rewrite-relative-links"];
    if (isPreRelease) flags.push("--pre-release");
    const vsce = path.join(nodeModules, "@vscode/vsce/vsce");
    await mustRun(process.execPath, [vsce, "package", ...flags, "--out", vsix], { cwd: staged });
    await writeFile(path.join(out, "release-notes.md"), notes);
    const { size } = await stat(vsix);
    console.log(`${path.relative(root, vsix)}  ${(size / 1_000_000).toFixed(2)} MB`);
    if (size <= maxBytes) return 0;
    console.error(`It is larger than ${maxBytes / 1_000_000} MB.`);
    return 1;
  },
});
