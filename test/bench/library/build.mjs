import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const drivers = { floor: "floorDriver.ts", arbor: "arborDriver.ts", pi: "piDriver.mjs" };

/** Whether the peers' own package is installed. */
export const hasPeers = existsSync(join(here, "../peers/node_modules/@mariozechner"));

/** Bundles every driver with the process that measures it. Returns the file to run, by driver. */
export async function buildDrivers(outdir, names = Object.keys(drivers)) {
  const built = {};
  for (const [name, file] of Object.entries(drivers)) {
    if (!names.includes(name) || (name === "pi" && !hasPeers)) continue;
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

/** Bundles the library, and zod alone, as an application would import them. */
export async function buildImports(outdir) {
  const source = fileURLToPath(new URL("../../../src/agent", import.meta.url));
  const contents = {
    library: `export * from ${JSON.stringify(`${source}/index.ts`)}; export * from ${JSON.stringify(`${source}/providers/index.ts`)};`,
    zod: 'export * as z from "zod";',
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

/** The peer is CommonJS in part, and its parts expect to be found on disk. */
const peersFromDisk = {
  name: "peers-from-disk",
  setup(build) {
    build.onResolve({ filter: /peers\/node_modules/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      external: true,
    }));
  },
};
