// Compares find_files and search_text with ripgrep itself, by turns, on 50,000 files of usual sizes.
import { existsSync, mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import { FileAges } from "../../../src/extension/workspace/search/fileAges.ts";
import { NewestFiles } from "../../../src/extension/workspace/search/newestFiles.ts";
import { findRipgrep } from "../../../src/extension/workspace/search/ripgrep.ts";
import { findNewest } from "../../../src/extension/workspace/search/ripgrepSearch.ts";
import { projectSizes, ripgrepRoot, searchCases, timeSearch, writeSearchTree } from "../../support/searchTree.ts";
import { builtFolder, limitRow } from "../report.ts";
import { measured } from "../scale/measured.ts";

const files = 50_000;
const editor = path.resolve(import.meta.dirname, "../../../.vscode-host/node_modules/code-server/lib/vscode");

const comparedRows = searchCases.map((searchCase) => ({
  name: searchCase.name,
  async measure({ runs }) {
    const root = ripgrepRoot(await ripgrep(), await searchTree());
    const { name, ours, raw, ratio } = await timeSearch(searchCase, root, runs);
    const { goal } = searchCase;
    return [{ title: name, unit: "ms", compared: raw, value: ours, ratio, goal, isMet: ratio <= goal }];
  },
}));

/** Ages that answered a search are looked up again when it is over, which no search waits for. */
const reviewRow = {
  name: "the looks at ages after find_files *.ts",
  async measure({ runs }) {
    const root = ripgrepRoot(await ripgrep(), await searchTree());
    const samples = [];
    for (let run = 0; run < runs; run++) samples.push(await timeReview(root));
    const row = (title, values, goal) => limitRow(title, values, { unit: "ms", goal });
    return [
      row(
        `${this.name} (cpu)`,
        samples.map(({ cpuMs }) => cpuMs),
      ),
      row(
        "their longest turn (cpu)",
        samples.map(({ heldMs }) => heldMs),
        50,
      ),
    ];
  },
};

export const searchRows = [...comparedRows, reviewRow];

async function timeReview(root) {
  let review;
  const ages = new FileAges(root.folder, (step) => {
    review = step;
    return { dispose() {} };
  });
  const find = () => findNewest({ root, ages, pattern: "*.ts" }, new NewestFiles(100), new AbortController().signal);
  // What the second finds is answered from what the first has looked up.
  await find();
  await find();
  return measured(async () => {
    review();
    while (!ages.isReviewed) await new Promise((resolve) => setImmediate(resolve));
    return { units: 1, result: ages };
  });
}

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
  await writeSearchTree(unfinished, files, projectSizes);
  renameSync(unfinished, folder);
  return folder;
}
