import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isSecretPath, isSensitivePath } from "../approvals/sensitive.ts";
import { ToolError } from "../common/userError.ts";
import { foldersBetween, isWithin, type Mount } from "./mounts.ts";

/** Files and folders of the workspace that a command in the sandbox may not change, or not even read. Relative paths. */
interface GuardedFiles {
  /** Decide what runs: settings, hooks, scripts of builds. Folders as a whole. */
  readOnly: string[];
  /** Hold keys and passwords. */
  secret: { path: string; isFolder: boolean }[];
  /** Links with a name that is guarded: what is mounted on one would be mounted where it leads. */
  links: string[];
  /** Settings of git repositories, which may hold passwords of remotes. */
  gitSettings: string[];
  /** Folders of git that are elsewhere: the workspace is a worktree of another repository. Absolute. */
  gitFolders: string[];
}

/** Dependencies: too many to guard one by one, and written by whatever installs them. */
const skipped = new Set(["node_modules"]);
const maxEntries = 100_000;
const atOnce = 32;
/** How far a read-only folder is looked through for secrets: settings are near its top, and further down are packages. */
const maxDepthInReadOnly = 2;

/** Walks a folder of the workspace; undefined when it is too large. Links are not followed. */
async function findGuardedFiles(root: string): Promise<GuardedFiles | undefined> {
  const found: GuardedFiles = { readOnly: [], secret: [], links: [], gitSettings: [], gitFolders: [] };
  let entries = 0;
  /** `depth`: of folders in one that is read-only as a whole. */
  let folders = [{ path: "", depth: 0 }];
  while (folders.length > 0) {
    const part = folders.slice(0, atOnce);
    folders = folders.slice(atOnce);
    const deeper = await Promise.all(
      part.map(async ({ path: folder, depth }) => {
        const children = await childrenOf(join(root, folder));
        entries += children.length;
        const inner: typeof folders = [];
        for (const { name, isFolder, isLink } of children) {
          const path = folder === "" ? name : `${folder}/${name}`;
          const kind = isLink ? "link" : isFolder ? "folder" : "file";
          const rest = depth > 0 ? guardSecret(path, kind, found) : await guard(root, path, kind, found);
          if (!isFolder || rest === "nothing" || skipped.has(name)) continue;
          if (rest === "all") inner.push({ path, depth: 0 });
          else if (depth < maxDepthInReadOnly) inner.push({ path, depth: depth + 1 });
        }
        return inner;
      }),
    );
    if (entries > maxEntries) return undefined;
    folders.push(...deeper.flat());
  }
  return found;
}

type Kind = "file" | "folder" | "link";
/** What of a folder's content is still to be looked at. */
type Rest = "all" | "secrets" | "nothing";

/** Adds an entry where it is one to guard. */
async function guard(root: string, path: string, kind: Kind, found: GuardedFiles): Promise<Rest> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name === ".git" && kind !== "link") {
    await guardGit(root, path, kind, found);
    return "nothing";
  }
  if (guardSecret(path, kind, found) === "nothing") return "nothing";
  if (!isSensitivePath(judged(path, kind))) return "all";
  if (kind === "link") found.links.push(path);
  else found.readOnly.push(path);
  return "secrets";
}

/** The same in a folder that is read-only as a whole. */
function guardSecret(path: string, kind: Kind, found: GuardedFiles): Rest {
  if (!isSecretPath(judged(path, kind))) return "secrets";
  if (kind === "link") found.links.push(path);
  else found.secret.push({ path, isFolder: kind === "folder" });
  return "nothing";
}

/** The nearest folders above say enough: no name of the lists has more. */
function judged(path: string, kind: Kind): string {
  const short = path.split("/").slice(-3).join("/");
  // A folder may be called like a file with secrets, and hold the sources that deal with them.
  return kind === "folder" ? `${short}/x.js` : short;
}

/** Parts of a folder of git that decide what git runs; the rest of it changes with every commit. */
const gitParts = ["config", "config.worktree", "hooks", "info", "commondir"];

async function guardGit(root: string, path: string, kind: "file" | "folder", found: GuardedFiles): Promise<void> {
  if (kind === "file") {
    found.readOnly.push(path);
    found.gitFolders.push(...(await gitFoldersOf(join(root, path))));
    return;
  }
  const folders = [path];
  // Submodules and worktrees have such folders of their own; the name of a submodule may have slashes.
  for (const part of ["modules", "worktrees"]) folders.push(...(await repositoriesIn(root, `${path}/${part}`, 4)));
  for (const folder of folders) {
    const there = new Set(
      (await childrenOf(join(root, folder))).filter(({ isLink }) => !isLink).map(({ name }) => name),
    );
    for (const part of gitParts) {
      if (!there.has(part)) continue;
      found.readOnly.push(`${folder}/${part}`);
      if (part === "config") found.gitSettings.push(`${folder}/${part}`);
    }
  }
}

async function repositoriesIn(root: string, folder: string, depth: number): Promise<string[]> {
  const children = await childrenOf(join(root, folder));
  if (children.some(({ name }) => name === "HEAD")) return [folder];
  if (depth === 0) return [];
  const inner = children.filter(({ isFolder }) => isFolder);
  return (await Promise.all(inner.map(({ name }) => repositoriesIn(root, `${folder}/${name}`, depth - 1)))).flat();
}

/**
 * Of a worktree: its own folder of git, and that of the repository. Only of one that the repository knows as its own, or a
 * file could make any repository readable.
 */
async function gitFoldersOf(file: string): Promise<string[]> {
  const read = (path: string) => readFile(path, "utf8").catch(() => "");
  const folder = /^gitdir: (.+)$/m.exec(await read(file))?.[1];
  if (folder === undefined) return [];
  const own = resolve(dirname(file), folder.trim());
  if (resolve(own, (await read(join(own, "gitdir"))).trim()) !== file) return [];
  return [own, resolve(own, (await read(join(own, "commondir"))).trim())];
}

interface Child {
  name: string;
  isFolder: boolean;
  isLink: boolean;
}

/** Empty for a folder that is gone meanwhile or can't be read: then a command can't either. */
async function childrenOf(folder: string): Promise<Child[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.map((entry) => ({
    name: entry.name,
    isFolder: entry.isDirectory(),
    isLink: entry.isSymbolicLink(),
  }));
}

/** Of so many mounts each further one takes longer than the one before. */
const maxReadOnly = 150;

/**
 * Paths to be read-only so that none of the files can be changed: the files, or whole folders where there are too many in
 * them.
 */
export function readOnlyPaths(files: readonly string[], max = maxReadOnly): string[] {
  if (files.length <= max) return [...files];
  const groups = [...Map.groupBy(files, topFolder)].sort(([, a], [, b]) => b.length - a.length);
  const whole = new Set<string>();
  let left = files.length;
  for (const [folder, { length }] of groups) {
    if (left <= max) break;
    if (folder === "") continue;
    whole.add(folder);
    left -= length - 1;
  }
  return [...whole, ...files.filter((file) => !whole.has(topFolder(file)))];
}

function topFolder(path: string): string {
  const slash = path.indexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}

/** Settings of git without the passwords of remotes; undefined when there are none in them. */
export function withoutPasswords(settings: string): string | undefined {
  const plain = settings
    .replace(/(:\/\/)[^/@\s]+@/g, "$1")
    .replace(/^(\s*(?:extraheader|password|token|helper)\s*=).*$/gim, "$1");
  return plain === settings ? undefined : plain;
}

/** A folder of the workspace with what is guarded in it. */
export interface GuardedRoot {
  /** As the workspace names it. */
  path: string;
  /** Where it really is. */
  real: string;
  guarded: GuardedFiles;
  /** Nothing in it can be changed. */
  isReadOnly?: boolean;
}

/** Throws a `ToolError` for one that is too large to be looked through. */
export async function guardedRoot(path: string): Promise<GuardedRoot> {
  const real = await realpath(path);
  let guarded = await findGuardedFiles(real);
  const missing = guarded?.gitSettings.map(dirname).filter((folder) => !guarded?.readOnly.includes(`${folder}/hooks`));
  if (missing !== undefined && missing.length > 0) {
    // What is not there can't be made read-only, and a hook that was put there would run with the next commit.
    await Promise.all(missing.map((folder) => mkdir(join(real, folder, "hooks")).catch(() => undefined)));
    guarded = await findGuardedFiles(real);
  }
  if (guarded === undefined) {
    throw new ToolError(
      "The workspace has too many files for the sandbox: those with secrets can't all be found in it. Use outside_sandbox.",
    );
  }
  return { path, real, guarded };
}

/** The workspace as a command sees it. `base` is a folder for copies. */
export async function workspaceMounts(root: GuardedRoot, base: string): Promise<Mount[]> {
  const mounts = await mountsOf(root, base);
  if (root.isReadOnly !== true) return mounts;
  return mounts.map((mount) => (mount.kind === "write" ? { ...mount, kind: "read" } : mount));
}

async function mountsOf({ path, real, guarded }: GuardedRoot, base: string): Promise<Mount[]> {
  const at = (within: string) => ({ path: join(path, within), source: join(real, within) });
  const links = (await Promise.all(guarded.links.map((link) => targetOf(real, link)))).flat();
  const secrets = [...guarded.secret, ...links.filter(({ isSecret }) => isSecret)];
  const readOnly = readOnlyPaths([...guarded.readOnly, ...links.flatMap((link) => (link.isSecret ? [] : [link.path]))]);
  // A folder that is no mount could be moved away with all that is guarded in it, and made again.
  const folders = [...readOnly, ...secrets.map((secret) => secret.path)]
    .flatMap((within) => foldersBetween(join(real, within), real))
    .map((folder) => folder.slice(real.length + 1))
    .filter((folder) => !readOnly.some((other) => isWithin(folder, other)));
  const copies = await Promise.all(guarded.gitSettings.map((within) => copyWithoutPasswords(real, within, base)));
  const outside = await Promise.all(guarded.gitFolders.map((folder) => gitFolderMounts(folder, base)));
  return [
    ...outside.flat(),
    { kind: "write", ...at("") },
    ...[...new Set(folders)].map((folder): Mount => ({ kind: "write", ...at(folder) })),
    // The copies first: of two mounts alike the first one counts.
    ...copies.flat().map(({ within, source }): Mount => ({ kind: "read", path: join(path, within), source })),
    ...readOnly.map((within): Mount => ({ kind: "read", ...at(within) })),
    ...secrets.map(
      (secret): Mount => ({ kind: secret.isFolder ? "hiddenFolder" : "hiddenFile", path: join(path, secret.path) }),
    ),
  ];
}

/** What a guarded link leads to in the workspace; what is outside can't be seen anyway. */
async function targetOf(root: string, link: string) {
  const target = await realpath(join(root, link)).catch(() => root);
  if (target === root || !isWithin(target, root)) return [];
  const isFolder = (await stat(target)).isDirectory();
  return [{ path: target.slice(root.length + 1), isFolder, isSecret: isSecretPath(link) }];
}

async function copyWithoutPasswords(root: string, within: string, base: string) {
  const text = withoutPasswords(await readFile(join(root, within), "utf8").catch(() => ""));
  if (text === undefined) return [];
  const source = join(base, randomUUID());
  await writeFile(source, text, { mode: 0o400 });
  return [{ within, source }];
}

/** The repository of a worktree can be read: its history and state, not changed. */
async function gitFolderMounts(folder: string, base: string): Promise<Mount[]> {
  const copies = await copyWithoutPasswords(folder, "config", base);
  return [
    ...copies.map(({ within, source }): Mount => ({ kind: "read", path: join(folder, within), source })),
    { kind: "read", path: folder, source: await realpath(folder) },
  ];
}

/** What is guarded now and was not before a command. */
export async function createdIn({ real, guarded }: GuardedRoot): Promise<string[]> {
  const now = await findGuardedFiles(real);
  const known = new Set(namesIn(guarded));
  const created = now === undefined ? [] : namesIn(now).filter((name) => !known.has(name));
  // It would give a repository other settings and hooks; git itself makes one only in the folder of a worktree.
  const redirects = created.filter((name) => name.endsWith(".git/commondir"));
  await Promise.all(redirects.map((name) => rm(join(real, name), { force: true })));
  return created.filter((name) => !redirects.includes(name));
}

function namesIn({ readOnly, secret, links }: GuardedFiles): string[] {
  return [...readOnly, ...secret.map(({ path }) => path), ...links];
}
