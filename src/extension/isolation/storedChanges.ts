import { chmod, lstat, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as z from "zod";
import { mergeTexts } from "../changes/model/mergeTexts.ts";
import { decodeText, encodeText } from "../workspace/documents/encoding.ts";
import { holdFolder } from "../workspace/documents/heldFiles.ts";
import type { FileDifference, WorktreeFile } from "./worktreeFiles.ts";

const state = z.object({
  /** base64 */
  bytes: z.string(),
  isLink: z.boolean(),
  isExecutable: z.boolean(),
});
const schema = z.array(z.object({ path: z.string(), before: state.optional(), after: state.optional() }));

/** Changes as a file holds them. */
export function storedChanges(changes: readonly FileDifference[]): string {
  const pack = (file: WorktreeFile | undefined) =>
    file && { ...file, bytes: Buffer.from(file.bytes).toString("base64") };
  return JSON.stringify(changes.map(({ path, before, after }) => ({ path, before: pack(before), after: pack(after) })));
}

/** Throws where the file was not written by `storedChanges`. */
export function parseChanges(text: string): FileDifference[] {
  const unpack = (file: z.infer<typeof state>): WorktreeFile => ({ ...file, bytes: Buffer.from(file.bytes, "base64") });
  return schema.parse(JSON.parse(text)).map(({ path, before, after }) => ({
    ...{ path },
    ...(before && { before: unpack(before) }),
    ...(after && { after: unpack(after) }),
  }));
}

/** As long as a chat is kept without new messages: then no task can go on with them. */
const maxStoredMs = 90 * 24 * 3_600_000;

/** Deletes the files of stored changes that no chat can need any more. */
export async function removeOldChanges(folder: string, now = Date.now()): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found !== undefined && now - found.mtimeMs > maxStoredMs) await rm(file, { force: true });
  }
}

/** Makes the changes again in a folder whose files may have become others since: both changes are in what they are then. */
export async function reapply(changes: readonly FileDifference[], folder: string): Promise<void> {
  for (const change of changes) {
    const place = { root: folder, path: join(folder, change.path) };
    // Absent where a file is in its place by now, or a link that leads out of the folder.
    const held = await holdFolder(place, { make: change.after !== undefined }).catch(() => undefined);
    if (held === undefined) continue;
    try {
      await reapplyOne(change, held.at(basename(change.path)));
    } finally {
      await held.close();
    }
  }
}

async function reapplyOne({ before, after }: FileDifference, target: string): Promise<void> {
  const found = await lstat(target).catch(() => undefined);
  const now = found?.isFile() === true ? await readFile(target) : undefined;
  if (found?.isDirectory() === true) return;
  await rm(target, { force: true });
  if (after === undefined) return;
  if (after.isLink) return symlink(Buffer.from(after.bytes).toString(), target);
  await writeFile(target, merged(before, now, after));
  if (after.isExecutable) await chmod(target, 0o755);
}

function merged(before: WorktreeFile | undefined, now: Uint8Array | undefined, after: WorktreeFile): Uint8Array {
  if (now === undefined || (before !== undefined && Buffer.compare(before.bytes, now) === 0)) return after.bytes;
  const [base, mine, theirs] = [before?.bytes ?? new Uint8Array(), now, after.bytes].map((bytes) => decodeText(bytes));
  if (base === undefined || mine === undefined || theirs === undefined) return after.bytes;
  return encodeText(mergeTexts(base.text, mine.text, theirs.text).text, theirs.encoding) ?? after.bytes;
}
