/** Builds the extension and the panel. Flags: --watch, --production. */
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import esbuild from "esbuild";
import { bundles } from "./scripts/build/bundles.mjs";
import { thirdPartyNotices } from "./scripts/build/thirdPartyNotices.mjs";

const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");
const codicons = "node_modules/@vscode/codicons";
const grammars = "node_modules/@vscode/tree-sitter-wasm";

// What is packaged holds no chunks of earlier builds.
if (production) await rm("dist", { recursive: true, force: true });
await mkdir("dist/webview", { recursive: true });
await cp(`${codicons}/dist/codicon.css`, "dist/webview/codicon.css");
await cp(`${codicons}/dist/codicon.ttf`, "dist/webview/codicon.ttf");
for (const grammar of ["tree-sitter", "tree-sitter-bash"]) {
  await cp(`${grammars}/wasm/${grammar}.wasm`, `dist/grammars/${grammar}.wasm`);
}

const { extension, panel } = bundles({ production });
const contexts = await Promise.all(
  [extension, panel].map((bundle) => esbuild.context({ ...bundle, logLevel: "info" })),
);
if (watch) {
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  const results = await Promise.all(contexts.map((context) => context.rebuild()));
  if (production) {
    const metafiles = results.flatMap(({ metafile }) => metafile ?? []);
    await writeFile("dist/ThirdPartyNotices.txt", await thirdPartyNotices({ metafiles, others: [codicons, grammars] }));
  }
  await Promise.all(contexts.map((context) => context.dispose()));
}
