import assert from "node:assert/strict";
import { readdir, readFile, readlink } from "node:fs/promises";
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

/** The process that has the session's file open: the extension host. */
export async function hostOf(file: string): Promise<number> {
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const links = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const link of links) {
      if ((await readlink(`/proc/${pid}/fd/${link}`).catch(() => "")) === file) return Number(pid);
    }
  }
  return assert.fail("No process has the session open.");
}
