import { randomUUID } from "node:crypto";
import { chmod, lstat, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { t } from "@vscode/l10n";
import { UserError } from "../common/userError.ts";
import { decodeText, encodeText, imageType, isBinary, type OwnEncoding } from "./documents/encoding.ts";
import { createInside, holdFolder, readInside } from "./documents/heldFiles.ts";
import { languageOf } from "./documents/languageOf.ts";
import { versionOf, withReplacements } from "./documents/version.ts";
import { alreadyExists, changedSinceRead, doesNotExist, wouldBeBinary } from "./fileProblems.ts";
import { locate, pathOf, refuseLinksOutside } from "./paths.ts";
import type { FileTree } from "./search/fileTree.ts";
import { agentIgnoreFile, ignoreRules, type Walk } from "./search/ignoreRules.ts";
import { listFolder } from "./search/listFolder.ts";
import { NewestFiles } from "./search/newestFiles.ts";
import { walkNewest, walkSearch } from "./search/walkSearch.ts";
import type { FileContent, RemovedFile, Workspace } from "./workspace.ts";

interface FolderWorkspace extends Workspace {
  /** Where a folder or a file of the workspace is on this machine. Throws for one outside it. */
  resolve(path: string): Promise<{ path: string; absolute: string }>;
}

/** Larger files are neither read nor searched. */
const maxBytes = 50 * 1024 * 1024;
const maxSearchedBytes = 5 * 1024 * 1024;

/**
 * One folder of the disk as tools see it, without an editor: nothing is unsaved, and as in a language without a server
 * there are no symbols and no problems. Paths, links, ignored files and searches are judged as in the editor.
 */
export function folderWorkspace(folder: string, name: string): FolderWorkspace {
  const root = folder.replaceAll("\\", "/");
  const roots = [{ name, path: root }];
  const tree = folderTree(folder);
  const walk = (signal: AbortSignal): Walk => ({ tree, rules: ignoreRules(tree, [], agentIgnoreFile), signal });
  const canonicalPath = (path: string) => {
    const location = locate(path, roots, process.platform);
    return pathOf(location.root, location.relative, roots);
  };
  async function resolve(path: string) {
    const location = locate(path, roots, process.platform);
    await refuseLinksOutside(location);
    return { path: location.relative, absolute: join(folder, location.relative) };
  }
  async function kindOf(absolute: string) {
    const found = await stat(absolute).catch(() => undefined);
    return { found, kind: found === undefined ? undefined : found.isDirectory() ? "directory" : "file" } as const;
  }
  async function readBytes(path: string) {
    const { path: own, absolute } = await resolve(path);
    const { kind } = await kindOf(absolute);
    if (kind === undefined) throw doesNotExist(path);
    if (kind === "directory") throw new UserError(t("{0} is a folder.", path), `${path} is a folder.`);
    const read = await readInside({ root, path: absolute }, maxBytes);
    if (read === undefined) throw notText(path);
    return { ...read, leadsTo: read.real === own ? undefined : read.real };
  }
  async function readText(path: string) {
    const read = await readBytes(path);
    const decoded = isBinary(read.bytes) ? undefined : decodeText(read.bytes);
    if (decoded === undefined) throw notText(path);
    return { ...read, ...decoded };
  }
  async function refuseExisting(path: string): Promise<string> {
    const { absolute } = await resolve(path);
    if ((await lstat(absolute).catch(() => undefined)) !== undefined) throw alreadyExists(path);
    return absolute;
  }
  return {
    ...noLanguage,
    resolve,
    canonicalPath,
    roots: () => [name],
    async stat(path) {
      const { found, kind } = await kindOf((await resolve(path)).absolute);
      return found && kind && { kind, size: found.size, modifiedAt: found.mtimeMs };
    },
    async read(path, signal): Promise<FileContent> {
      signal.throwIfAborted();
      const { bytes, leadsTo } = await readBytes(path);
      const link = leadsTo === undefined ? {} : { leadsTo };
      const mimeType = imageType(bytes);
      if (mimeType) return { kind: "image", mimeType, data: Buffer.from(bytes).toString("base64"), ...link };
      const { text } = await readText(path);
      return { kind: "text", text, version: versionOf(text), unsaved: false, languageId: languageOf(path), ...link };
    },
    async list(path, options, signal) {
      const { path: own, absolute } = await resolve(path);
      if ((await kindOf(absolute)).kind !== "directory") {
        throw new UserError(t("{0} is not a folder.", path), `${path} is not a folder.`);
      }
      return listFolder(own, options, walk(signal));
    },
    async findFiles(pattern, limit, signal) {
      const newest = new NewestFiles(limit);
      await walkNewest(pattern, walk(signal), newest);
      return newest.found();
    },
    searchText: (search, signal) => walkSearch(search, walk(signal)),
    diagnostics: async () => [],
    async replace(path, replacements, expectedVersion) {
      const { text: before, encoding, real } = await readText(path);
      if (expectedVersion !== undefined && versionOf(before) !== expectedVersion) throw changedSinceRead(path);
      const text = withReplacements(before, replacements);
      await overwrite(root, join(folder, real), encoded(text, encoding, path));
      return { text, saved: true };
    },
    async create(path, text, removed) {
      const absolute = await refuseExisting(path);
      const bytes = bytesOf(text, removed) ?? encoded(text, "utf8", path);
      await createInside({ root, path: absolute }, bytes, removed?.mode === undefined ? {} : { mode: removed.mode });
      return { text, saved: true };
    },
    async remove(path) {
      const { absolute } = await resolve(path);
      const { bytes } = await readBytes(path);
      const { found } = await kindOf(absolute);
      await atHeld(root, absolute, (held) => rm(held));
      return { bytes: Buffer.from(bytes).toString("base64"), ...(found && { mode: found.mode & 0o777 }) };
    },
    async move(from, to) {
      const { absolute } = await resolve(from);
      await readBytes(from);
      const target = await refuseExisting(to);
      const held = await holdFolder({ root, path: target }, { make: true });
      try {
        await atHeld(root, absolute, (source) => rename(source, held.at(basename(target))));
      } finally {
        await held.close();
      }
      return [];
    },
  };
}

/** An editor whose languages have no server. */
export const noLanguage: Pick<
  Workspace,
  "documentSymbols" | "workspaceSymbols" | "definition" | "references" | "renameEdits"
> = {
  documentSymbols: async () => [],
  workspaceSymbols: async () => [],
  definition: async () => [],
  references: async () => [],
  renameEdits: async () => [],
};

/** By what its folder is: a command that runs could swap one on the way for a link to the user's own files. */
async function atHeld(root: string, path: string, use: (held: string) => Promise<void>): Promise<void> {
  const held = await holdFolder({ root, path });
  try {
    await use(held.at(basename(path)));
  } finally {
    await held.close();
  }
}

/** What is in the place of a file, links to it included, whole or not at all; with the mode that it had. */
async function overwrite(root: string, path: string, bytes: Uint8Array): Promise<void> {
  const held = await holdFolder({ root, path });
  const copy = held.at(`.${randomUUID()}.tmp`);
  try {
    const { mode } = await lstat(held.at(basename(path)));
    await writeFile(copy, bytes, { flag: "wx" });
    await chmod(copy, mode & 0o777);
    await rename(copy, held.at(basename(path)));
  } catch (error) {
    await rm(copy, { force: true });
    throw error;
  } finally {
    await held.close();
  }
}

function encoded(text: string, encoding: OwnEncoding, path: string): Uint8Array {
  const bytes = encodeText(text, encoding);
  if (bytes === undefined) throw notText(path);
  if (isBinary(bytes)) throw wouldBeBinary(path);
  return bytes;
}

/** Those that it had, where they hold the text. */
function bytesOf(text: string, removed: RemovedFile | undefined): Uint8Array | undefined {
  const bytes = removed && Buffer.from(removed.bytes, "base64");
  return bytes && decodeText(bytes)?.text === text ? bytes : undefined;
}

function notText(path: string): UserError {
  return new UserError(
    t("{0} is a binary file: it has no text.", path),
    `${path} is no text file, so it can't be read or changed with this tool.`,
  );
}

/** A folder of the disk as walks see it. What can't be read is taken for not there. */
function folderTree(root: string): FileTree {
  return {
    async entries(folder) {
      const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
      return entries.map((entry) => {
        const kind = entry.isDirectory() ? "directory" : "file";
        return { name: entry.name, kind: entry.isSymbolicLink() ? "link" : kind };
      });
    },
    async readText(path) {
      try {
        const found = await readInside({ root, path: join(root, path) }, maxSearchedBytes);
        return found === undefined || isBinary(found.bytes) ? undefined : decodeText(found.bytes)?.text;
      } catch {
        return undefined;
      }
    },
    async modifiedAt(path) {
      return (await stat(join(root, path)).catch(() => undefined))?.mtimeMs ?? 0;
    },
  };
}
