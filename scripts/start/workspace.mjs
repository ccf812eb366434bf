import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { sampleWorkspace, startDir } from "../paths.mjs";

/** A fresh copy, so that no edits reach the fixture or the next start. */
export async function copySampleWorkspace() {
  await mkdir(startDir, { recursive: true });
  const home = await mkdtemp(path.join(startDir, "run-"));
  // The folder's name is what the editor shows.
  const dir = path.join(home, "corner-shop");
  await cp(sampleWorkspace, dir, { recursive: true });
  return { dir, remove: () => rm(home, { recursive: true, force: true }) };
}
