import { readFile } from "node:fs/promises";
import path from "node:path";
import esbuild from "esbuild";

import { leanMarked } from "../../../scripts/leanMarked.mjs";
import { leanToolkit } from "../../../scripts/leanToolkit.mjs";
import { projectRoot } from "./projectRoot.ts";

export interface PanelFiles {
  script: string;
  /** Loaded when it is first needed. */
  highlight: string;
  /** By file name. */
  styles: Record<string, string>;
  codiconFont: Uint8Array;
}

/** The panel as the product bundles it, in memory. */
export async function buildPanel(): Promise<PanelFiles> {
  const built = await esbuild.build({
    absWorkingDir: projectRoot,
    entryPoints: { panel: "src/webview/main.tsx" },
    outdir: "dist/webview",
    bundle: true,
    minify: true,
    write: false,
    platform: "browser",
    target: "es2022",
    format: "iife",
    jsx: "automatic",
    jsxImportSource: "preact",
    plugins: [leanMarked, leanToolkit],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const chunk = await esbuild.build({
    absWorkingDir: projectRoot,
    entryPoints: ["src/webview/highlight/languages.ts"],
    bundle: true,
    minify: true,
    write: false,
    platform: "browser",
    target: "es2022",
    format: "esm",
  });
  const textOf = (ending: string) => built.outputFiles.find((file) => file.path.endsWith(ending))?.text ?? "";
  const codicons = path.join(projectRoot, "node_modules/@vscode/codicons/dist");
  return {
    script: textOf(".js"),
    highlight: chunk.outputFiles[0]?.text ?? "",
    styles: { "codicon.css": await readFile(path.join(codicons, "codicon.css"), "utf8"), "panel.css": textOf(".css") },
    codiconFont: await readFile(path.join(codicons, "codicon.ttf")),
  };
}
