import { leanMarked } from "./leanMarked.mjs";
import { leanToolkit } from "./leanToolkit.mjs";

// Bundled CommonJS packages call require() for Node's own modules, which an ES module does not have.
export const requireBanner = [
  'import { createRequire as __createRequire } from "node:module";',
  'import { fileURLToPath as __fileURLToPath } from "node:url";',
  "const require = __createRequire(import.meta.url);",
  "const __filename = __fileURLToPath(import.meta.url);",
  'const __dirname = __fileURLToPath(new URL(".", import.meta.url));',
].join("\n");

/** The bundles: ES modules, with chunks for what loads at first use. */
export function bundles({ production }) {
  const shared = {
    bundle: true,
    minify: production,
    sourcemap: production ? false : "linked",
    metafile: true,
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    define: { "process.env.NODE_ENV": production ? '"production"' : '"development"' },
  };
  const page = {
    ...shared,
    // As if every module imported it first: those in chunks that the entry shares run before the entry's own.
    inject: ["src/webview/language.ts"],
    outdir: "dist/webview",
    platform: "browser",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".ttf": "file" },
    plugins: [leanMarked, leanToolkit],
  };
  return {
    extension: {
      ...shared,
      // The worker is a file of its own: it is started by its name.
      entryPoints: {
        extension: "src/extension/extension.ts",
        markdownWorker: "src/extension/fetching/markdownWorker.ts",
      },
      outdir: "dist",
      platform: "node",
      // Of packages that come both ways, ES modules: only what is used of them is bundled.
      mainFields: ["module", "main"],
      target: "node22",
      external: ["vscode"],
      banner: { js: requireBanner },
    },
    panel: { ...page, entryPoints: { panel: "src/webview/main.tsx" } },
    // One script and one style sheet, which an exported page has in itself.
    replay: { ...page, entryPoints: { replay: "src/webview/replay.tsx" }, splitting: false, format: "iife" },
  };
}

/**
 * The outputs that are loaded with an entry, before anything is asked for.
 * @param {import("esbuild").Metafile} metafile
 * @param {string} entry Its output, as the metafile names it.
 */
export function startOutputs(metafile, entry) {
  return startFiles(metafile, entry).map((file) => metafile.outputs[file]);
}

/**
 * Their names.
 * @param {import("esbuild").Metafile} metafile
 * @param {string} entry Its output, as the metafile names it.
 */
export function startFiles({ outputs }, entry) {
  const loaded = new Set();
  const waiting = [entry];
  for (const file of waiting) {
    if (loaded.has(file) || outputs[file] === undefined) continue;
    loaded.add(file);
    for (const { path, kind } of outputs[file].imports) if (kind === "import-statement") waiting.push(path);
  }
  return [...loaded];
}

/**
 * Bytes of the scripts that are loaded before anything is shown: the entry and what it imports, chunks that load at
 * first use left out.
 * @param {import("esbuild").Metafile} metafile
 * @param {string} entry Its output, as the metafile names it.
 */
export function startBytes(metafile, entry) {
  return startOutputs(metafile, entry).reduce((bytes, output) => bytes + output.bytes, 0);
}
