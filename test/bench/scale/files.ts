import { existsSync, linkSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { FileAges } from "../../../src/extension/workspace/search/fileAges.ts";
import { NewestFiles } from "../../../src/extension/workspace/search/newestFiles.ts";
import { findNewest } from "../../../src/extension/workspace/search/ripgrepSearch.ts";
import { ripgrepRoot } from "../../support/searchTree.ts";
import { measured, type Taken } from "./measured.ts";

const filesPerFolder = 100;
/** File systems limit how many names a file has. */
const namesPerFile = 20_000;

/** Names in folders of a hundred, half of them TypeScript. Links to few files: to write as many takes minutes. */
export function manyFiles(folder: string, count: number): string {
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}-${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  for (let index = 0; index < count; index++) {
    const source = `${folder}-source-${Math.floor(index / namesPerFile)}`;
    if (index % namesPerFile === 0) writeFileSync(source, "export const value = 1;\n");
    const into = `${unfinished}/pkg${Math.floor(index / 10_000)}/mod${Math.floor(index / filesPerFolder)}`;
    if (index % filesPerFolder === 0) mkdirSync(into, { recursive: true });
    linkSync(source, `${into}/file${index}.${index % 2 === 0 ? "ts" : "md"}`);
  }
  renameSync(unfinished, folder);
  return folder;
}

/** find_files as in a window that has just opened: the age of each file that matches is looked up. */
export function timeFind(binary: string, folder: string, count: number): Promise<Taken> {
  return measured(async () => {
    const ages = new FileAges(folder);
    const newest = new NewestFiles(100);
    await findNewest(
      { root: ripgrepRoot(binary, folder), ages, pattern: "*.ts" },
      newest,
      new AbortController().signal,
    );
    if (newest.found().paths.length !== 100) throw new Error("It found too few.");
    const result = { ages, newest };
    return { units: count / 2, result };
  });
}
