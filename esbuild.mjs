/** Builds the extension (ES modules, SDKs in chunks that load at first use) and the panel. Flags: --watch, --production. */
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import esbuild from "esbuild";
import { leanMarked } from "./scripts/leanMarked.mjs";
import { leanToolkit } from "./scripts/leanToolkit.mjs";
import { thirdPartyNotices } from "./scripts/thirdPartyNotices.mjs";

const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");

const shared = {
  bundle: true,
  metafile: true,
  minify: production,
  sourcemap: production ? false : "linked",
  logLevel: "info",
  define: { "process.env.NODE_ENV": production ? '"production"' : '"development"' },
};

// Bundled CommonJS packages call require() for Node's own modules, which an ES module does not have.
const requireBanner = [
  'import { createRequire as __createRequire } from "node:module";',
  'import { fileURLToPath as __fileURLToPath } from "node:url";',
  "const require = __createRequire(import.meta.url);",
  "const __filename = __fileURLToPath(import.meta.url);",
  'const __dirname = __fileURLToPath(new URL(".", import.meta.url));',
].join("\n");

/** @type {import("esbuild").BuildOptions} */
const extension = {
  ...shared,
  // The worker is a file of its own: it is started by its name.
  entryPoints: {
    extension: "src/extension/extension.ts",
    markdownWorker: "src/extension/fetching/markdownWorker.ts",
  },
  outdir: "dist",
  chunkNames: "chunks/[name]-[hash]",
  platform: "node",
  // Of packages that come both ways, ES modules: only what is used of them is bundled.
  mainFields: ["module", "main"],
  target: "node22",
  format: "esm",
  splitting: true,
  external: ["vscode"],
  banner: { js: requireBanner },
};

/** What is asked for now and then is in chunks. @type {import("esbuild").BuildOptions} */
const panel = {
  ...shared,
  entryPoints: { panel: "src/webview/main.tsx" },
  outdir: "dist/webview",
  chunkNames: "chunks/[name]-[hash]",
  platform: "browser",
  target: "es2022",
  format: "esm",
  splitting: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".ttf": "file" },
  plugins: [leanMarked, leanToolkit],
};

// What is packaged holds no chunks of earlier builds.
if (production) await rm("dist", { recursive: true, force: true });
await mkdir("dist/webview", { recursive: true });
await cp("node_modules/@vscode/codicons/dist/codicon.css", "dist/webview/codicon.css");
await cp("node_modules/@vscode/codicons/dist/codicon.ttf", "dist/webview/codicon.ttf");

const contexts = await Promise.all([extension, panel].map((options) => esbuild.context(options)));
if (watch) {
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  const results = await Promise.all(contexts.map((context) => context.rebuild()));
  if (production) {
    const metafiles = results.flatMap(({ metafile }) => metafile ?? []);
    const notices = await thirdPartyNotices({ metafiles, others: ["node_modules/@vscode/codicons"] });
    await writeFile("dist/ThirdPartyNotices.txt", notices);
  }
  await Promise.all(contexts.map((context) => context.dispose()));
}
