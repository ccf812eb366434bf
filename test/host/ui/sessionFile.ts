import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { Editor } from "../editor.ts";

/** The session with these words in its file. */
export async function sessionFile({ home }: Pick<Editor, "home">, words: string): Promise<string> {
  const user = path.join(home, "user");
  for (const name of await readdir(user, { recursive: true })) {
    if (!/sessions[\\/](?:[\w-]+[\\/])?[\w-]+\.jsonl$/.test(name)) continue;
    const file = path.join(user, name);
    if ((await readFile(file, "utf8")).includes(words)) return file;
  }
  return assert.fail(`No session has "${words}".`);
}
