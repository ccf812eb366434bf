import { lstat, realpath, stat } from "node:fs/promises";
import { posix, win32 } from "node:path";
import picomatch from "picomatch";
import { isMissing } from "../common/files.ts";
import { isSecretPath, isSensitivePath } from "./sensitive.ts";

export type Access = "read" | "write" | "create" | "delete" | "search";

export interface PathJudgement {
  /** `inside`: no reason to ask. `refuse`: disguised, malformed or no plain file; the user is not asked. */
  verdict: "inside" | "ask" | "refuse";
  /** The normalised path, absolute; the path as it was where it is refused by its text. */
  resolved: string;
  /** As a sentence. It never says where a link leads. */
  reason: string;
}

export interface PathOptions {
  platform?: NodeJS.Platform;
  /** Globs of further files that hold secrets or decide what runs. */
  sensitive?: string[];
  /** Whether links may be looked at. Default: where the platform is this machine's. */
  isOnDisk?: boolean;
}

/**
 * Whether a path may be used without a question. Its text and where it really leads are both judged, and the stricter
 * verdict counts. To be asked again right before each use.
 */
export async function judgePath(
  path: string,
  access: Access,
  roots: readonly string[],
  { platform = process.platform, sensitive = [], isOnDisk = platform === process.platform }: PathOptions = {},
): Promise<PathJudgement> {
  const refuse = (reason: string, resolved = path): PathJudgement => ({ verdict: "refuse", resolved, reason });
  const problem = textProblem(path, platform);
  if (problem !== undefined) return refuse(problem);
  const [first] = roots;
  if (first === undefined) return { verdict: "ask", resolved: path, reason: "No folder is open." };
  const flavour = platform === "win32" ? win32 : posix;
  const isAbsolute = flavour.isAbsolute(path);
  const resolved = withoutEnd(isAbsolute ? flavour.resolve(first, path) : flavour.join(first, path), flavour.sep);
  if (isDevice(resolved, platform)) return refuse("It is a device, no file.", resolved);
  const root = roots.find((each) => isBelow(resolved, each, platform));
  if (root === undefined) {
    if (!isAbsolute) return refuse("It leaves the workspace.", resolved);
    return { verdict: "ask", resolved, reason: "It is outside the workspace." };
  }
  const within = (full: string, folder: string) => full.slice(withoutEnd(folder, flavour.sep).length + 1);
  const names = [within(resolved, root)];
  if (isOnDisk) {
    const real = await realPathOf(isAbsolute ? path : `${first}${flavour.sep}${path}`, resolved, roots);
    if (real.kind === "refused") return refuse(real.reason, resolved);
    const readsFolder = real.kind === "folder" && (access === "read" || access === "write") && real.path !== real.root;
    if (real.kind === "other" || readsFolder) return refuse("It is no plain file.", resolved);
    names.push(within(real.path, real.root));
  }
  if (names.some((name) => isProtected(name, access, sensitive))) {
    return { verdict: "ask", resolved, reason: reasonFor(access) };
  }
  return { verdict: "inside", resolved, reason: "It is in the workspace." };
}

function reasonFor(access: Access): string {
  return access === "read" || access === "search"
    ? "The file may hold passwords or keys."
    : "The file may hold passwords or keys, or decides what runs.";
}

function isProtected(relative: string, access: Access, sensitive: readonly string[]): boolean {
  const isReading = access === "read" || access === "search";
  const name = relative.replaceAll("\\", "/");
  return (
    isSecretPath(relative) ||
    (isReading ? editorSettings.test(name) : isSensitivePath(relative)) ||
    (sensitive.length > 0 && picomatch.isMatch(name, [...sensitive], { dot: true, nocase: true }))
  );
}

/** Launch configurations and servers of the editor are given their keys there. */
const editorSettings = /(?:^|\/)\.vscode\/(?:settings|launch|tasks|mcp)\.json$/i;

function withoutEnd(path: string, separator: string): string {
  return path.length > 1 && path.endsWith(separator) ? path.slice(0, -1) : path;
}

/** Disks of these systems take names for the same that differ in case. */
export function isBelow(path: string, folder: string, platform: NodeJS.Platform): boolean {
  const separator = platform === "win32" ? "\\" : "/";
  const fold = (text: string) => {
    const plain = withoutEnd(platform === "win32" ? text.replaceAll("/", "\\") : text, separator);
    return platform === "linux" ? plain : plain.normalize("NFC").toLowerCase();
  };
  const [own, outer] = [fold(path), fold(folder)];
  return own === outer || own.startsWith(outer.endsWith(separator) ? outer : outer + separator);
}

const reservedName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;
const maxNameBytes = 255;
const maxPathBytes = 4_096;

/** What makes a text no path that a file system should be asked for: asking for a UNC path already sends credentials. */
export function textProblem(path: string, platform: NodeJS.Platform): string | undefined {
  if (path.trim() === "") return "It is empty.";
  if (path.includes("\0") || !path.isWellFormed()) return "It has characters that no path can have.";
  if (/^[a-z][a-z0-9+.-]+:\/|^(?:untitled|file|https?):/i.test(path)) return "It is an address, no path.";
  if (/^(?:\/\/|\\\\|\\\?\?\\)/.test(path)) return "It leads to a device or another machine.";
  const slashed = platform === "win32" ? path.replaceAll("\\", "/") : path;
  if (Buffer.byteLength(path) > maxPathBytes) return "It is too long.";
  const segments = slashed.replace(/^[a-z]:(?=\/)/i, platform === "win32" ? "" : "$&").split("/");
  if (segments.some((segment) => Buffer.byteLength(segment) > maxNameBytes)) return "A name in it is too long.";
  if (platform !== "win32") return undefined;
  if (/\/\//.test(slashed)) return "It leads to a device or another machine.";
  for (const segment of segments) {
    if (segment === "." || segment === "..") continue;
    // Alternate streams, devices, names the file system would change, and short names that hide the long one.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what Windows names can't have.
    if (/[<>:"|?*\u0000-\u001f]/.test(segment) || /[. ]$/.test(segment))
      return "It has a name that Windows reads as another one.";
    if (/~\d/.test(segment) || reservedName.test(segment)) return "It has a name that Windows reads as another one.";
  }
  return undefined;
}

function isDevice(path: string, platform: NodeJS.Platform): boolean {
  return platform !== "win32" && /^\/(?:dev|proc\/(?:self|thread-self|\d+))(?:\/|$)/.test(path);
}

export type RealPath = (Walked & { root: string }) | { kind: "refused"; reason: string };

/**
 * Where a path really leads, by the text alone (`resolved`) and as the system walks it: `link/..` is the folder above
 * the link's target. Both ways must end at one place in a root. What can't be judged is refused. `knownRoots` are the
 * roots without links, where they are looked up already.
 */
export async function realPathOf(
  path: string,
  resolved: string,
  roots: readonly string[],
  knownRoots = Promise.all(roots.map((root) => realpath(root).catch(() => root))),
): Promise<RealPath> {
  const isPlain = path === resolved;
  const [atOnce, realRoots] = await Promise.all([isPlain ? realPathAtOnce(path) : undefined, knownRoots]);
  const real = atOnce ?? (await walk(resolved));
  const asWalked = isPlain ? real : await walk(path);
  if (real === undefined || asWalked === undefined)
    return { kind: "refused", reason: "It can't be followed to a file." };
  const root = realRoots.find((each) => isBelow(real.path, each, process.platform));
  if (root === undefined || real.path !== asWalked.path) {
    return { kind: "refused", reason: "A link in it leads elsewhere than its text says." };
  }
  return { ...real, root };
}

interface Walked {
  /** Without links. Where nothing is, what would be made there. */
  path: string;
  kind: "file" | "folder" | "other" | "missing";
}

/** The usual cases in few calls, none of which waits for another: no step of the path leads back, and something is there, or only its end is missing. */
async function realPathAtOnce(path: string): Promise<Walked | undefined> {
  if (process.platform === "win32" || path.split("/").includes("..")) return undefined;
  try {
    const [real, found] = await Promise.all([realpath(path), stat(path)]);
    return { path: real, kind: kindOf(found) };
  } catch (error) {
    if (!isMissing(error)) return undefined;
  }
  try {
    const [folder, isThere] = await Promise.all([
      realpath(posix.dirname(path)),
      // A link that leads to nothing is there.
      lstat(path).then(
        () => true,
        (error: unknown) => !isMissing(error),
      ),
    ]);
    return isThere ? undefined : { path: posix.join(folder, posix.basename(path)), kind: "missing" };
  } catch {
    return undefined;
  }
}

/** Follows a path step by step. Undefined where a step fails, a link leads to nothing or in a circle, or `..` follows a link. */
async function walk(path: string): Promise<Walked | undefined> {
  const { dirname, join, parse } = process.platform === "win32" ? win32 : posix;
  const separator = process.platform === "win32" ? /[\\/]/ : "/";
  const { root } = parse(path);
  let at: Walked & { isLinked?: boolean } = { path: root, kind: "folder" };
  for (const segment of path.slice(root.length).split(separator)) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") {
      if (at.isLinked) return undefined;
      at = { path: dirname(at.path), kind: "folder" };
      continue;
    }
    const next = join(at.path, segment);
    try {
      const found = await lstat(next);
      if (found.isSymbolicLink()) {
        const target = await realpath(next);
        at = { path: target, kind: kindOf(await lstat(target)), isLinked: true };
      } else at = { path: next, kind: kindOf(found) };
    } catch (error) {
      if (!isMissing(error) || (await isLink(next))) return undefined;
      at = { path: next, kind: "missing" };
    }
  }
  return at;
}

function kindOf(found: { isFile(): boolean; isDirectory(): boolean }): Walked["kind"] {
  return found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch {
    return false;
  }
}
