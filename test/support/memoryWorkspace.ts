import { UserError } from "../../src/extension/common/userError.ts";
import { versionOf, withReplacements } from "../../src/extension/workspace/documents/version.ts";
import { noLanguage } from "../../src/extension/workspace/folderWorkspace.ts";
import { locate, pathOf, type Root } from "../../src/extension/workspace/paths.ts";
import type { FileTree, TreeEntry } from "../../src/extension/workspace/search/fileTree.ts";
import type { Walk } from "../../src/extension/workspace/search/ignoreRules.ts";
import { agentIgnoreFile, ignoreRules } from "../../src/extension/workspace/search/ignoreRules.ts";
import { listFolder } from "../../src/extension/workspace/search/listFolder.ts";
import { NewestFiles } from "../../src/extension/workspace/search/newestFiles.ts";
import { walkNewest, walkSearch } from "../../src/extension/workspace/search/walkSearch.ts";
import type { FileContent, FileDiagnostic, Workspace } from "../../src/extension/workspace/workspace.ts";

import { memoryLanguage } from "./memoryLanguage.ts";

/** A file on the "disk" of a memory workspace: a text, or an image. */
type MemoryFile = string | { mimeType: string; data: string };

export interface MemoryWorkspaceOptions {
  files?: Record<string, MemoryFile>;
  /** Text that the editor holds unsaved, by path. */
  unsaved?: Record<string, string>;
  diagnostics?: FileDiagnostic[];
  /** Names of the open folders; one, "workspace", by default. */
  roots?: string[];
  /** What saving makes of a text, like a formatter. */
  onSave?(text: string, path: string): string;
  /** The diagnostics of the workspace after a write. */
  diagnose?(files: ReadonlyMap<string, MemoryFile>): FileDiagnostic[];
  /** What a language server makes of other files when one moves, by path. */
  onMove?(from: string, to: string): Record<string, string>;
  /** There is no language server. */
  withoutLanguage?: boolean;
}

/** A `Workspace` of texts in memory, with what a test may look at and change behind the agents' backs. */
export interface MemoryWorkspace extends Workspace {
  /** What is on disk, by path. */
  readonly files: Map<string, MemoryFile>;
  readonly unsaved: Map<string, string>;
  diagnosticList: FileDiagnostic[];
}

export function memoryWorkspace(options: MemoryWorkspaceOptions = {}): MemoryWorkspace {
  const files = new Map(Object.entries(options.files ?? {}));
  const unsaved = new Map(Object.entries(options.unsaved ?? {}));
  const names = options.roots ?? ["workspace"];
  const roots: Root[] = names.map((name) => ({ name, path: `/memory/${name}` }));
  const ages = new Map([...files.keys()].map((path, index) => [path, index]));

  function canonicalPath(path: string): string {
    const { root, relative } = locate(path, roots, "linux");
    return pathOf(root, relative, roots);
  }
  /** The top of several folders is none of them. */
  const folderPath = (path: string) => (path === "" && roots.length > 1 ? "" : canonicalPath(path));
  const textOf = (path: string) => unsaved.get(path) ?? files.get(path);
  const isFolder = (path: string) => path === "" || [...files.keys()].some((file) => file.startsWith(`${path}/`));
  const tree = memoryTree(textOf, files, ages);
  const walk = (signal: AbortSignal): Walk => ({ tree, rules: ignoreRules(tree, [], agentIgnoreFile), signal });

  function existing(path: string): MemoryFile {
    const content = textOf(path);
    if (content !== undefined) return content;
    throw new UserError(isFolder(path) ? `${path} is a folder.` : `${path} does not exist.`);
  }
  function touched(path: string): void {
    ages.set(path, Math.max(0, ...ages.values()) + 1);
    if (options.diagnose) workspace.diagnosticList = options.diagnose(files);
  }

  const texts = () =>
    new Map(
      [...files.keys()].flatMap((path) => {
        const content = textOf(path);
        return typeof content === "string" ? [[path, content] as const] : [];
      }),
    );

  const workspace: MemoryWorkspace = {
    files,
    unsaved,
    diagnosticList: options.diagnostics ?? [],
    roots: () => names,
    canonicalPath,
    async stat(path) {
      const own = folderPath(path);
      const content = textOf(own);
      if (content === undefined) return isFolder(own) ? { kind: "directory", size: 0, modifiedAt: 0 } : undefined;
      const size = typeof content === "string" ? Buffer.byteLength(content) : content.data.length;
      return { kind: "file", size, modifiedAt: ages.get(own) ?? 0 };
    },
    async read(path, signal): Promise<FileContent> {
      signal.throwIfAborted();
      const own = canonicalPath(path);
      const content = existing(own);
      if (typeof content !== "string") return { kind: "image", ...content };
      const languageId = own.endsWith(".ts") ? "typescript" : "plaintext";
      return { kind: "text", text: content, version: versionOf(content), unsaved: unsaved.has(own), languageId };
    },
    async list(path, listOptions, signal) {
      const own = folderPath(path);
      if (!isFolder(own)) throw new UserError(`${path} is not a folder.`);
      return listFolder(own, listOptions, walk(signal));
    },
    async findFiles(pattern, limit, signal) {
      folderPath("");
      const newest = new NewestFiles(limit);
      await walkNewest(pattern, walk(signal), newest);
      return newest.found();
    },
    async *searchText(search, signal) {
      folderPath("");
      yield* walkSearch(search, walk(signal));
    },
    async diagnostics(path) {
      if (path === undefined) return workspace.diagnosticList;
      const own = canonicalPath(path);
      return workspace.diagnosticList.filter((each) => each.path === own || each.path.startsWith(`${own}/`));
    },
    async replace(path, replacements, expectedVersion) {
      const own = canonicalPath(path);
      const content = existing(own);
      if (typeof content !== "string") throw new UserError(`${path} is not a text.`);
      if (expectedVersion !== undefined && versionOf(content) !== expectedVersion) {
        throw new UserError(`${path} changed since it was read. Read it again.`);
      }
      const text = withReplacements(content, replacements);
      if (unsaved.has(own)) {
        unsaved.set(own, text);
        touched(own);
        return { text, saved: false };
      }
      const saved = options.onSave?.(text, own) ?? text;
      files.set(own, saved);
      touched(own);
      return { text: saved, saved: true };
    },
    async create(path, text) {
      const own = canonicalPath(path);
      if (textOf(own) !== undefined || isFolder(own)) throw new UserError(`${path} already exists.`);
      const saved = options.onSave?.(text, own) ?? text;
      files.set(own, saved);
      touched(own);
      return { text: saved, saved: true };
    },
    async remove(path) {
      const own = canonicalPath(path);
      existing(own);
      files.delete(own);
      unsaved.delete(own);
      return undefined;
    },
    async move(from, to) {
      const [source, target] = [canonicalPath(from), canonicalPath(to)];
      const content = existing(source);
      if (textOf(target) !== undefined || isFolder(target)) throw new UserError(`${target} already exists.`);
      const typed = unsaved.get(source);
      files.set(target, files.get(source) ?? content);
      if (typed !== undefined) unsaved.set(target, typed);
      files.delete(source);
      unsaved.delete(source);
      touched(target);
      const followed = Object.entries(options.onMove?.(source, target) ?? {});
      for (const [path, text] of followed) files.set(path, text);
      return followed.map(([path]) => path);
    },
    ...(options.withoutLanguage ? noLanguage : memoryLanguage(texts)),
  };
  return workspace;
}

function memoryTree(
  textOf: (path: string) => MemoryFile | undefined,
  files: ReadonlyMap<string, MemoryFile>,
  ages: ReadonlyMap<string, number>,
): FileTree {
  return {
    async entries(folder) {
      const found = new Map<string, TreeEntry>();
      for (const path of files.keys()) {
        if (folder !== "" && !path.startsWith(`${folder}/`)) continue;
        const [name = "", ...rest] = path.slice(folder === "" ? 0 : folder.length + 1).split("/");
        found.set(name, { name, kind: rest.length > 0 ? "directory" : "file" });
      }
      return [...found.values()];
    },
    async readText(path) {
      const content = textOf(path);
      return typeof content === "string" ? content : undefined;
    },
    async modifiedAt(path) {
      return ages.get(path) ?? 0;
    },
  };
}
