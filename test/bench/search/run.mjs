// Compares find_files and search_text with ripgrep itself, by turns, on 50,000 files.
import { existsSync, mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import { findRipgrep } from "../../../src/extension/workspace/search/ripgrep.ts";
import { ripgrepRoot, searchCases, timeSearch, writeSearchTree } from "../../support/searchTree.ts";
import { builtFolder } from "../report.ts";

const files = 50_000;
const editor = path.resolve(import.meta.dirname, "../../../.vscode-host/node_modules/code-server/lib/vscode");

export const searchRows = searchCases.map((searchCase) => ({
  name: searchCase.name,
  async measure({ runs }) {
    const root = ripgrepRoot(await ripgrep(), await searchTree());
    const { name, ours, raw, ratio } = await timeSearch(searchCase, root, runs);
    const { goal } = searchCase;
    return [
      {
        title: name,
        unit: "ms",
        compared: raw,
        value: ours,
        ratio,
        goal,
        isMet: goal === undefined ? undefined : ratio <= goal,
      },
    ];
  },
}));

export async function ripgrep() {
  const { platform, arch, env } = process;
  const binary = await findRipgrep({ setting: "", appRoot: editor, searchPath: env.PATH ?? "", platform, arch });
  if (binary === undefined) {
    throw new Error("There is no ripgrep. Run the host tests once, which install an editor, or put rg on the PATH.");
  }
  return binary;
}

/** Written by the first row of a run that needs it. */
async function searchTree() {
  const folder = path.join(builtFolder, `files-${files}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}-${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  await writeSearchTree(unfinished, files);
  renameSync(unfinished, folder);
  return folder;
}
