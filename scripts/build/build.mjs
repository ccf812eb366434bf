import { cp, mkdir } from "node:fs/promises";
import path from "node:path";
import esbuild from "esbuild";
import { root } from "../paths.mjs";
import { bundles } from "./bundles.mjs";
import { joinStart } from "./joinStart.mjs";
import { thirdPartyNotices } from "./thirdPartyNotices.mjs";

const codicons = "node_modules/@vscode/codicons";
const grammars = "node_modules/@vscode/tree-sitter-wasm";

/**
 * Builds the extension and its pages into `outDir`, an absolute path.
 * @param {{ outDir: string; production?: boolean; watch?: boolean }} options
 * @returns {Promise<string>} the licences of all that is in it from others; "" while it watches
 */
export async function build({ outDir, production = false, watch = false }) {
  await mkdir(path.join(outDir, "webview"), { recursive: true });
  const copies = {
    [`${codicons}/dist/codicon.css`]: "webview/codicon.css",
    [`${codicons}/dist/codicon.ttf`]: "webview/codicon.ttf",
    [`${grammars}/wasm/tree-sitter.wasm`]: "grammars/tree-sitter.wasm",
    [`${grammars}/wasm/tree-sitter-bash.wasm`]: "grammars/tree-sitter-bash.wasm",
  };
  for (const [from, to] of Object.entries(copies)) await cp(path.join(root, from), path.join(outDir, to));
  const { extension, panel, replay } = bundles({ production });
  const contexts = await Promise.all(
    [extension, panel, replay].map(({ outdir, ...bundle }) =>
      esbuild.context({
        ...bundle,
        outdir: path.join(outDir, path.relative("dist", outdir)),
        absWorkingDir: root,
        logLevel: production ? "warning" : "info",
      }),
    ),
  );
  if (watch) {
    await Promise.all(contexts.map((context) => context.watch()));
    return "";
  }
  const results = await Promise.all(contexts.map((context) => context.rebuild()));
  const [{ metafile }] = results;
  const output = (name) => path.relative(root, path.join(outDir, name)).replaceAll(path.sep, "/");
  const entries = { entry: output("extension.js"), without: output("markdownWorker.js") };
  await joinStart({ metafile, base: root, ...entries, production });
  await Promise.all(contexts.map((context) => context.dispose()));
  return thirdPartyNotices({ metafiles: results.map(({ metafile }) => metafile), others: [codicons, grammars] });
}
