import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const drivers = { floor: "floorDriver.ts", arbor: "arborDriver.ts", pi: "piDriver.mjs", ai: "aiDriver.mjs" };
/** What of the peers' own package each peer is. */
const peers = { pi: "@mariozechner/pi-agent-core", ai: "ai" };

/** The peers that are not installed. */
export const missingPeers = Object.keys(peers).filter(
  (name) => !existsSync(join(here, "../peers/node_modules", peers[name])),
);

/** Bundles every driver with the process that measures it. Returns the file to run, by driver. */
export async function buildDrivers(outdir, names = Object.keys(drivers)) {
  const built = {};
  for (const [name, file] of Object.entries(drivers)) {
    if (!names.includes(name) || missingPeers.includes(name)) continue;
    await build({
      ...common,
      entryPoints: { [name]: join(here, "child.ts") },
      outdir: join(outdir, name),
      alias: { "bench-driver": join(here, file) },
      plugins: name === "pi" ? [peersFromDisk] : [],
    });
    built[name] = join(outdir, name, `${name}.js`);
  }
  return built;
}

/** Bundles the library, and alone what it uses of zod, as an application would import them. */
export async function buildImports(outdir) {
  const source = fileURLToPath(new URL("../../../src/agent", import.meta.url));
  const contents = {
    library: `export * from ${JSON.stringify(`${source}/index.ts`)}; export * from ${JSON.stringify(`${source}/providers/index.ts`)};`,
    zod: `import * as z from "zod"; export const used = [${(await usedOfZod(source)).map((name) => `z.${name}`).join(", ")}];`,
  };
  for (const [name, stdin] of Object.entries(contents)) {
    await build({
      ...common,
      stdin: { contents: stdin, resolveDir: here },
      outfile: undefined,
      outdir: join(outdir, name),
    });
  }
  return { library: join(outdir, "library", "stdin.js"), zod: join(outdir, "zod", "stdin.js") };
}

/** The functions of zod that the library's code names: a bundler leaves the others out, its languages among them. */
async function usedOfZod(source) {
  const names = new Set();
  for await (const file of glob(`${source}/**/*.ts`)) {
    for (const [, name] of (await readFile(file, "utf8")).matchAll(/\bz\.([a-z]\w*)\(/g)) names.add(name);
  }
  return [...names].sort();
}

const common = {
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24",
  logLevel: "error",
  outExtension: { ".js": ".js" },
  banner: { js: 'import { createRequire as $require } from "node:module"; const require = $require(import.meta.url);' },
};

/** Pi is CommonJS in part, and its parts expect to be found on disk. */
const peersFromDisk = {
  name: "peers-from-disk",
  setup(build) {
    build.onResolve({ filter: /peers\/node_modules/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      external: true,
    }));
  },
};
