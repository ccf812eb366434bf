import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../../shared/corpora");

/** A corpus of cases kept beside the project; absent where that folder is, which is said in one line. */
export function readCorpus(name: string): unknown {
  const file = join(folder, name);
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  console.log(`    ../shared/corpora/${name} is not there: its cases are left out.`);
  return undefined;
}
