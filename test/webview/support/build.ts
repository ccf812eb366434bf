import { readFile } from "node:fs/promises";
import path from "node:path";
import esbuild from "esbuild";
import { bundles } from "../../../scripts/build/bundles.mjs";
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
  const { panel } = bundles({ production: true });
  const outdir = path.join(projectRoot, panel.outdir);
  const built = await esbuild.build({ ...panel, absWorkingDir: projectRoot, write: false });
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
