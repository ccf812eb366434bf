import { readdir, readFile, realpath } from "node:fs/promises";
import { basename, isAbsolute, join, resolve, sep } from "node:path";
import picomatch from "picomatch";
import { judgePath } from "../paths.ts";
import { isSecretPath } from "../sensitive.ts";
import type { Below, ReadPath } from "./options.ts";
import type { ShellWord } from "./words.ts";

/** Where commands run and what they may read unasked. */
export interface ReadScope {
  /** The folders that a command may run in: each `cd` adds one. */
  folders: readonly string[];
  roots: readonly string[];
  /** Whether files may be looked at. Otherwise paths are judged by their text. */
  isOnDisk: boolean;
  home: string;
}

/** The system's own files, which are the same everywhere and hold nothing of the user's. */
const publicPath =
  /^\/(?:(?:usr|bin|sbin|lib(?:32|64)?)(?:\/|$)|etc\/(?:os-release|lsb-release|debian_version|alpine-release|timezone|services|protocols|shells|mime\.types)$|proc\/(?:cpuinfo|meminfo|version|loadavg|uptime)$)/;

const maxFiles = 2_000;

/** Why a command may not read what it names unasked; undefined where it may. */
export async function readConcern({ word, namesOnly, below }: ReadPath, scope: ReadScope): Promise<string | undefined> {
  if (word.text === "-") return undefined;
  const text = withHome(word, scope.home);
  if (text === undefined) return `${word.text} is in another user's folder.`;
  for (const folder of scope.folders) {
    const paths = word.isGlob ? await expand(word, folder, scope) : [isAbsolute(text) ? text : joined(folder, text)];
    if (paths === undefined) return `${word.text} matches too many files.`;
    for (const path of paths) {
      const concern =
        (await pathConcern(path, { namesOnly, scope })) ?? (await belowConcern(path, below, { namesOnly, scope }));
      if (concern !== undefined) return concern;
    }
  }
  return undefined;
}

/** Not normalised: `link/..` is another folder than the text says. */
function joined(folder: string, text: string): string {
  return `${folder}/${text}`;
}

function withHome({ text, isTilde }: ShellWord, home: string): string | undefined {
  if (!isTilde) return text;
  return /^~(?:\/|$)/.test(text) ? home + text.slice(1) : undefined;
}

async function pathConcern(
  path: string,
  { namesOnly, scope: { roots, isOnDisk } }: { namesOnly: boolean; scope: ReadScope },
): Promise<string | undefined> {
  const normal = resolve(path);
  if (/^\/dev\/(?:null|stdin)$/.test(normal)) return undefined;
  if (publicPath.test(normal) && !isSecretPath(normal)) return undefined;
  if (!namesOnly && isSecretPath(path)) return `${path} may hold passwords or keys.`;
  const { verdict, reason } = await judgePath(path, "search", roots, { isOnDisk });
  if (verdict === "inside" || (verdict === "ask" && namesOnly && isInside(normal, roots))) return undefined;
  return reason;
}

function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));
}

/** The files that a wildcard matches in a folder; undefined where there are too many to judge. */
async function expand(word: ShellWord, folder: string, { isOnDisk, home }: ReadScope): Promise<string[] | undefined> {
  const glob = word.isTilde ? home.replace(/[\\*?[\]{}()!+@]/g, "\\$&") + word.glob.slice(1) : word.glob;
  if (!isOnDisk) return [isAbsolute(word.text) ? word.text : joined(folder, word.text)];
  const segments = glob.split("/");
  let paths = [glob.startsWith("/") ? "/" : folder];
  for (const segment of segments) {
    if (segment === "") continue;
    const next: string[] = [];
    const literal = /(?<!\\)[*?[]/.test(segment) ? undefined : segment.replace(/\\(.)/g, "$1");
    const isMatch =
      literal === undefined
        ? picomatch(segment, {
            dot: segment.startsWith("."),
            nobrace: true,
            noextglob: true,
            noglobstar: true,
            nonegate: true,
          })
        : undefined;
    for (const path of paths) {
      if (isMatch === undefined) {
        next.push(`${path}/${literal}`);
        continue;
      }
      const names = await readdir(path).catch(() => []);
      next.push(...names.filter((name) => isMatch(name)).map((name) => `${path}/${name}`));
    }
    if (next.length > maxFiles) return undefined;
    paths = next;
  }
  return paths;
}

/** Packages of others, which hold certificates by the dozen and nothing of the user's. */
const skipped = new Set(["node_modules", "site-packages"]);
const maxEntries = 20_000;

/** Why reading all below a folder is asked for: it has files with secrets, or links that lead out of the workspace. */
async function belowConcern(
  path: string,
  below: Below | undefined,
  { namesOnly, scope }: { namesOnly: boolean; scope: ReadScope },
): Promise<string | undefined> {
  if (below === undefined || !scope.isOnDisk || (namesOnly && !below.followsLinks)) return undefined;
  const waiting = [resolve(path)];
  let count = 0;
  for (const folder of waiting) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (++count > maxEntries) return `There are too many files below ${basename(path)} to look for secrets.`;
      if (entry.name.startsWith(".") && !below.hidden) continue;
      const file = join(folder, entry.name);
      if (entry.isSymbolicLink() && below.followsLinks) {
        const target = await realpath(file).catch(() => undefined);
        const roots = await Promise.all(scope.roots.map((root) => realpath(root).catch(() => root)));
        if (target !== undefined && !isInside(target, roots)) return `${file} leads out of the workspace.`;
      }
      if (entry.isDirectory()) {
        if (entry.name === ".git") {
          if (await holdsPassword(join(file, "config"))) return `${file} holds a password.`;
        } else if (!skipped.has(entry.name)) waiting.push(file);
      } else if (!namesOnly && isSecretPath(file)) return `${file} may hold passwords or keys.`;
    }
  }
  return undefined;
}

async function holdsPassword(config: string): Promise<boolean> {
  const text = await readFile(config, "utf8").catch(() => "");
  return /:\/\/[^/\s@]+@|extraheader|password|token/i.test(text);
}
