import { t } from "@vscode/l10n";
import { removeQuietly } from "../common/atomicFile.ts";
import type { Files } from "../common/files.ts";
import { UserError } from "../common/userError.ts";
import { formatHeader, parseHeader, parseRecord, snapshotStart } from "./records.ts";
import { linesIn, type SessionFile } from "./sessionFile.ts";
import { type SessionLocation, sessionPath, withFile } from "./sessionFolder.ts";

const chunkBytes = 4 * 1_024 * 1_024;
const lineEnd = 10;
/** A text of more can't be held in one piece. */
const maxExportedBytes = 400 * 1_024 * 1_024;

/** A copy up to the entry `beforeSeq`: the same bytes below a header of its own. Gives its id. */
export function copySession(
  location: SessionLocation,
  id: string,
  beforeSeq = Number.POSITIVE_INFINITY,
): Promise<string> {
  const copy = async (session: SessionFile) => {
    const copyId = location.newId();
    const header = { ...session.header, id: copyId, createdAt: location.now() };
    await addSession(
      location,
      copyId,
      header,
      bytesBetween(session, session.bodyOffset, await endBefore(session, beforeSeq)),
    );
    return copyId;
  };
  return withFile(location, id, copy);
}

/** Where the first line is whose entry has this number, or a higher one. */
async function endBefore(session: SessionFile, seq: number): Promise<number> {
  for (const { lastSeq, ranges } of session.segments) {
    if (lastSeq < seq) continue;
    for (const [from, end] of ranges) {
      const bytes = Buffer.allocUnsafe(end - from);
      await session.file.read(bytes, from);
      for (const [start, stop] of linesIn(bytes)) {
        if ((parseRecord(bytes.subarray(start, stop)).seq ?? 0) >= seq) return from + start;
      }
    }
  }
  return session.end;
}

/** All of a session that is whole, header and records. */
export function exportText(location: SessionLocation, id: string): Promise<string> {
  const read = async (whole: SessionFile) => {
    if (whole.end > maxExportedBytes) {
      throw new UserError(
        t("This chat is too large to be exported. Its file is {0}: copy that.", sessionPath(location, id)),
      );
    }
    const parts: Buffer[] = [];
    for await (const bytes of bytesBetween(whole, 0, whole.end)) parts.push(bytes);
    return Buffer.concat(parts).toString("utf8");
  };
  return withFile(location, id, read);
}

/** Adds what another workspace exported, under a new id: nothing that is here is replaced. */
export async function importText(location: SessionLocation, text: string): Promise<string> {
  const lines = text
    .replace(/^\ufeff/, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const header = parseHeader(lines[0] ?? "");
  const records = (header === undefined ? lines : lines.slice(1))
    .map((line) => Buffer.from(`${line}\n`))
    .filter(isTransferable);
  const isRecord = records.map((line) => !("fault" in parseRecord(line)));
  const isBroken = records.some((line, at) => !isRecord[at] && isDamaged(line));
  if (isBroken || !isRecord.includes(true)) {
    throw new UserError(t("This is not a complete chat that Arbor exported. Export it again and import that file."));
  }
  const id = location.newId();
  const own = { createdAt: location.now(), ...header, id };
  async function* bytes() {
    for (let at = 0; at < records.length; at += 1_000) yield Buffer.concat(records.slice(at, at + 1_000));
  }
  await addSession(location, id, own, bytes());
  return id;
}

/** What the user allowed and how much agents may use was decided for another chat, and a snapshot could repeat it. */
const decisions = new Set(["budget_changed", "grants_changed"]);

function isTransferable(line: Buffer): boolean {
  if (line.toString("latin1", 0, snapshotStart.length) === snapshotStart) return false;
  const record = parseRecord(line);
  return !("host" in record && decisions.has(record.host.type));
}

/** What a later version wrote is not. */
function isDamaged(line: Buffer): boolean {
  const record = parseRecord(line);
  return "fault" in record && record.fault === "broken";
}

async function* bytesBetween({ file }: SessionFile, from: number, end: number): AsyncGenerator<Buffer> {
  for (let at = from; at < end; at += chunkBytes) {
    const bytes = Buffer.allocUnsafe(Math.min(chunkBytes, end - at));
    yield bytes.subarray(0, await file.read(bytes, at));
  }
}

/** Writes a session under another name, and renames it when all of it is written. */
async function addSession(
  location: SessionLocation,
  id: string,
  header: Parameters<typeof formatHeader>[0],
  body: AsyncIterable<Buffer>,
): Promise<void> {
  const { files, folder } = location;
  const path = sessionPath(location, id);
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
