/** `npm run package:library`: the agent library as a package of its own, in out/library. */
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { run } from "./command.mjs";
import { runScript } from "./commandLine.mjs";
import { nodeModules, root } from "./paths.mjs";

const outDir = path.join(root, "out/library");
const packageDir = path.join(outDir, "package");
const usage = `npm run package:library         writes out/library/*.tgz
npm run package:library -- --unpacked   only out/library/package, without the archive`;

/** Path in the package by what follows its name in an import. */
const entries = {
  ".": "index",
  "./providers": "providers/index",
  "./node": "node",
  "./mcp": "mcp",
  "./testing": "testing",
  "./tree": "tree",
};

function readArguments() {
  const { values } = parseArgs({ options: { unpacked: { type: "boolean" }, help: { type: "boolean" } } });
  return { isUnpacked: values.unpacked === true, help: values.help === true };
}

/** What the package says of itself. Versions of what it needs are those that this repository is tested with. */
async function manifest() {
  const { version, license, dependencies } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  const atLeast = (name) => `^${dependencies[name]}`;
  const sdks = ["@anthropic-ai/sdk", "openai", "yaml"];
  return {
    name: "arbor-agent-library",
    version,
    description: "Agents in TypeScript: one loop, one event union, one tool type, sub-agents, teams and sessions.",
    license,
    type: "module",
    sideEffects: false,
    engines: { node: ">=22.3" },
    exports: Object.fromEntries(
      Object.entries(entries).map(([name, file]) => [
        name,
        { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` },
      ]),
    ),
    files: ["dist"],
    dependencies: Object.fromEntries(
      ["@cfworker/json-schema", "eventsource-parser"].map((name) => [name, atLeast(name)]),
    ),
    peerDependencies: Object.fromEntries(["zod", ...sdks].map((name) => [name, atLeast(name)])),
    peerDependenciesMeta: Object.fromEntries(sdks.map((name) => [name, { optional: true }])),
  };
}

/** The types that the declarations name must be all that a stranger's compiler has to know. */
const compilerOptions = {
  noEmit: false,
  declaration: true,
  rewriteRelativeImportExtensions: true,
  rootDir: "../../src/agent",
  outDir: "package/dist",
  types: ["node"],
};

/** The compiler renames imports in what runs, but not in the declarations. */
async function renameImports() {
  const dist = path.join(packageDir, "dist");
  for (const file of await readdir(dist, { recursive: true })) {
    if (!file.endsWith(".d.ts")) continue;
    const text = await readFile(path.join(dist, file), "utf8");
    await writeFile(path.join(dist, file), text.replaceAll(/"(\.{1,2}\/[^"]+)\.ts"/g, '"$1.js"'));
  }
}

async function build() {
  await rm(outDir, { recursive: true, force: true });
  await mkdir(packageDir, { recursive: true });
  const config = path.join(outDir, "tsconfig.json");
  const include = ["../../src/agent/**/*.ts"];
  await writeFile(config, JSON.stringify({ extends: "../../tsconfig.json", compilerOptions, include, exclude: [] }));
  const { code, output } = await run(path.join(nodeModules, ".bin/tsc"), ["-p", config]);
  if (code !== 0) throw new Error(output);
  await renameImports();
  await writeFile(path.join(packageDir, "package.json"), `${JSON.stringify(await manifest(), undefined, 2)}\n`);
  await cp(path.join(root, "LICENSE"), path.join(packageDir, "LICENSE"));
  await cp(path.join(root, "src/agent/README.md"), path.join(packageDir, "README.md"));
}

await runScript({
  usage,
  readArguments,
  async main({ isUnpacked }) {
    await build();
    if (isUnpacked) return 0;
    const { code, output } = await run("npm", ["pack", "--pack-destination", outDir], { cwd: packageDir });
    console.log(code === 0 ? path.join("out/library", output.trim().split("\n").at(-1) ?? "") : output);
    return code;
  },
});
