import { t } from "@vscode/l10n";
import { removeQuietly } from "../common/atomicFile.ts";
import type { Files } from "../common/files.ts";
import { UserError } from "../common/userError.ts";
import { parseEntry } from "./entrySchema.ts";
import { formatHeader } from "./records.ts";
import { headerSchema, type WholeFile } from "./searchFile.ts";
import { type SessionLocation, sessionPath, withFile } from "./sessionFolder.ts";

const chunkBytes = 4 * 1_024 * 1_024;
const lineEnd = 10;
/** A text of more can't be held in one piece. */
const maxExportedBytes = 400 * 1_024 * 1_024;

/** A copy up to the entry `beforeSeq`: the same bytes below a header of its own. Gives its id. */
export function copySession(place: SessionLocation, id: string, beforeSeq = Number.POSITIVE_INFINITY): Promise<string> {
  const copy = async (whole: WholeFile) => {
    const copyId = place.newId();
    const header = { ...whole.header, id: copyId, createdAt: place.now() };
    const body = bytesBetween(whole, whole.bodyOffset, whole.lines[0]?.offset ?? whole.end);
    await addSession(place, copyId, header, body);
    return copyId;
  };
  return withFile(place, id, copy, ({ seq }) => seq >= beforeSeq);
}

/** All of a session that is whole, header and records. */
export function exportText(place: SessionLocation, id: string): Promise<string> {
  const read = async (whole: WholeFile) => {
    if (whole.end > maxExportedBytes) {
      throw new UserError(
        t("This chat is too large to be exported. Its file is {0}: copy that.", sessionPath(place, id)),
      );
    }
    const parts: Buffer[] = [];
    for await (const bytes of bytesBetween(whole, 0, whole.end)) parts.push(bytes);
    return Buffer.concat(parts).toString("utf8");
  };
  return withFile(place, id, read, () => false);
}

/** Adds what another workspace exported, under a new id: nothing that is here is replaced. */
export async function importText(place: SessionLocation, text: string): Promise<string> {
  const lines = text
    .replace(/^\ufeff/, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const header = parseHeader(lines[0]);
  const records = (header === undefined ? lines : lines.slice(1)).map((line) => Buffer.from(`${line}\n`));
  const entries = records.map(parseEntry);
  if (entries.includes("broken") || !entries.some((entry) => entry !== undefined)) {
    throw new UserError(t("This is no whole chat that Arbor exported. Export it again and import that file."));
  }
  const id = place.newId();
  const own = { createdAt: place.now(), ...header, id };
  async function* bytes() {
    for (let at = 0; at < records.length; at += 1_000) yield Buffer.concat(records.slice(at, at + 1_000));
  }
  await addSession(place, id, own, bytes());
  return id;
}

function parseHeader(line: string | undefined) {
  try {
    return headerSchema.safeParse(JSON.parse(line ?? "")).data;
  } catch {
    return undefined;
  }
}

async function* bytesBetween({ file }: WholeFile, from: number, end: number): AsyncGenerator<Buffer> {
  for (let at = from; at < end; at += chunkBytes) {
    const bytes = Buffer.allocUnsafe(Math.min(chunkBytes, end - at));
    yield bytes.subarray(0, await file.read(bytes, at));
  }
}

/** Writes a session beside the others; it is among them when all of it is there. */
async function addSession(
  place: SessionLocation,
  id: string,
  header: Parameters<typeof formatHeader>[0],
  body: AsyncIterable<Buffer>,
): Promise<void> {
  const { files, folder } = place;
  const path = sessionPath(place, id);
  const copy = `${path}.tmp`;
  files.makeFolder(folder);
  try {
    const descriptor = files.openForAppend(copy);
    try {
      let last: Buffer = Buffer.from(formatHeader(header));
      appendAll(files, descriptor, last);
      for await (const bytes of body) {
        appendAll(files, descriptor, bytes);
        if (bytes.length > 0) last = bytes;
      }
      if (last.at(-1) !== lineEnd) appendAll(files, descriptor, Buffer.from("\n"));
      await files.sync(descriptor);
    } finally {
      files.close(descriptor);
    }
    files.rename(copy, path);
  } catch (error) {
    removeQuietly(files, copy);
    throw error;
  }
}

function appendAll(files: Files, descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += files.append(descriptor, bytes.subarray(written));
}
