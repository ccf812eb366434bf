import { readFile } from "node:fs/promises";
import path from "node:path";
import esbuild from "esbuild";

import { leanMarked } from "../../../scripts/leanMarked.mjs";
import { leanToolkit } from "../../../scripts/leanToolkit.mjs";
import { projectRoot } from "./projectRoot.ts";

export interface PanelFiles {
  /** By path: the panel and its chunks. */
  scripts: Record<string, string>;
  /** By file name. */
  styles: Record<string, string>;
  codiconFont: Uint8Array;
}

/** The panel as the product bundles it, in memory. */
export async function buildPanel(): Promise<PanelFiles> {
  const outdir = path.join(projectRoot, "dist/webview");
  const built = await esbuild.build({
    absWorkingDir: projectRoot,
    entryPoints: { panel: "src/webview/main.tsx" },
    outdir,
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    minify: true,
    write: false,
    platform: "browser",
    target: "es2022",
    format: "esm",
    splitting: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    plugins: [leanMarked, leanToolkit],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const textsOf = (ending: string) =>
    Object.fromEntries(
      built.outputFiles
        .filter((file) => file.path.endsWith(ending))
        .map((file) => [path.relative(outdir, file.path), file.text]),
    );
  const codicons = path.join(projectRoot, "node_modules/@vscode/codicons/dist");
  return {
    scripts: textsOf(".js"),
    styles: { "codicon.css": await readFile(path.join(codicons, "codicon.css"), "utf8"), ...textsOf(".css") },
    codiconFont: await readFile(path.join(codicons, "codicon.ttf")),
  };
}
