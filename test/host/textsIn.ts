import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** Every file's text below a folder, by its path in it. */
export async function textsIn(folder: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    texts.set(path.relative(folder, file), await readFile(file, "utf8"));
  }
  return texts;
}
