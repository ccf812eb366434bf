import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UserError } from "../../../src/extension/common/userError.ts";
import { languageOf } from "../../../src/extension/workspace/documents/languageOf.ts";
import { versionOf, withReplacements } from "../../../src/extension/workspace/documents/version.ts";
import { locate, pathOf, refuseLinksOutside } from "../../../src/extension/workspace/paths.ts";
import { ignoreRules, type Walk } from "../../../src/extension/workspace/search/ignoreRules.ts";
import { listFolder } from "../../../src/extension/workspace/search/listFolder.ts";
import { NewestFiles } from "../../../src/extension/workspace/search/newestFiles.ts";
import { walkNewest, walkSearch } from "../../../src/extension/workspace/search/walkSearch.ts";
import type { FileContent, Workspace } from "../../../src/extension/workspace/workspace.ts";
import { diskTree } from "../../support/diskTree.ts";
import { noLanguage } from "../../support/memoryLanguage.ts";

interface FolderWorkspace extends Workspace {
  /** Where a folder or a file of the workspace is on this machine. Throws for one outside it. */
  resolve(path: string): Promise<{ path: string; absolute: string }>;
}

/**
 * One folder of the disk as tools see it, without an editor: nothing is unsaved, and as in a language without a server
 * there are no symbols and no problems. Paths, links, ignored files and searches are judged as in the editor.
 */
export function folderWorkspace(folder: string, name: string): FolderWorkspace {
  const roots = [{ name, path: folder.replaceAll("\\", "/") }];
  const tree = diskTree(folder);
  const walk = (signal: AbortSignal): Walk => ({ tree, rules: ignoreRules(tree, []), signal });
  const canonicalPath = (path: string) => {
    const { root, relative } = locate(path, roots, process.platform);
    return pathOf(root, relative, roots);
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
  async function readText(path: string): Promise<{ absolute: string; text: string }> {
    const { absolute } = await resolve(path);
    const { kind } = await kindOf(absolute);
    if (kind === undefined) throw new UserError(`${path} does not exist.`);
    if (kind === "directory") throw new UserError(`${path} is a folder.`);
    const text = await readFile(absolute, "utf8");
    if (text.includes("\0")) throw new UserError(`${path} is no text file.`);
    return { absolute, text };
  }
  async function refuseExisting(path: string): Promise<string> {
    const { absolute } = await resolve(path);
    if ((await kindOf(absolute)).kind !== undefined) throw new UserError(`${path} already exists.`);
    await mkdir(dirname(absolute), { recursive: true });
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
      const { text } = await readText(path);
      return { kind: "text", text, version: versionOf(text), unsaved: false, languageId: languageOf(path) };
    },
    async list(path, options, signal) {
      const { path: own, absolute } = await resolve(path);
      if ((await kindOf(absolute)).kind !== "directory") throw new UserError(`${path} is not a folder.`);
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
      const { absolute, text: before } = await readText(path);
      if (expectedVersion !== undefined && versionOf(before) !== expectedVersion) {
        throw new UserError(`${path} changed since it was read. Read it again.`);
      }
      const text = withReplacements(before, replacements);
      await writeFile(absolute, text);
      return { text, saved: true };
    },
    async create(path, text) {
      await writeFile(await refuseExisting(path), text);
      return { text, saved: true };
    },
    async remove(path) {
      const { absolute, text } = await readText(path);
      const { found } = await kindOf(absolute);
      await rm(absolute);
      return { bytes: Buffer.from(text).toString("base64"), ...(found && { mode: found.mode & 0o777 }) };
    },
    async move(from, to) {
      const { absolute } = await readText(from);
      await rename(absolute, await refuseExisting(to));
      return [];
    },
  };
}
