import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isBelow } from "./paths.ts";

/** What a command runs. */
export interface CommandFiles {
  /** Another text whenever one of them has changed. */
  version: string;
  /** Absolute paths. */
  files: readonly string[];
}

/**
 * The files that a command runs, as far as that can be read off: scripts of package.json that it calls, files that it
 * names, and files that those name. What programs find without being given it, like tests, is not in it.
 */
export async function commandFiles(command: string, folder: string, root: string): Promise<CommandFiles> {
  const isInside = (path: string) => isBelow(path, root, process.platform);
  const hash = createHash("sha256");
  const seen = new Set<string>();
  const manifests = new Set<string>();
  let found: Text[] = [{ text: withoutOutputs(withoutReaders(command)), folders: [folder] }];
  for (let depth = 0; depth < maxDepth && found.length > 0; depth++) {
    const next: Text[] = [];
    for (const each of found) {
      for (const script of await packageScripts(each, isInside)) {
        hash.update(`${script.text}\0`);
        manifests.add(join(script.folders[0] ?? folder, manifestName));
        next.push(script);
      }
      for (const path of pathsIn(each)) {
        if (seen.size >= maxFiles) break;
        if (seen.has(path) || !isInside(path)) continue;
        const text = await textOf(path);
        if (text === undefined) continue;
        seen.add(path);
        hash.update(`${path}\0${text}\0`);
        // Scripts name others as seen from their own folder or from where they run.
        next.push({ text, folders: [dirname(path), folder] });
      }
    }
    found = next;
  }
  return { version: hash.digest("base64url"), files: [...seen, ...manifests] };
}

/** A command without the files that it redirects its output to: they change with each run, and decide nothing about it. */
export function withoutOutputs(command: string): string {
  return command.replace(/(?:\d|&)?>{1,2}\|?\s*(?:"[^"]*"|'[^']*'|[^\s;&|<>()]+)/g, " ");
}

/** Programs that only show or remove the files that they name. */
const readers = new Set(
  "[ test cat head tail grep egrep fgrep rg ls wc stat file du diff cmp cut sort tr echo printf sleep true rm".split(
    " ",
  ),
);
const keywords = /^(?:\s*(?:if|then|elif|else|while|until|do|done|fi|!|\{|\}))+(?=\s|$)/;
/** What could run the text that a part of the command shows, or a program that such a part names. */
const couldRunText = /`|\\\n|\$\(|<\(|\s-o|--(?:output|pre|hostname-bin|compress-prog)|\b(?:eval|xargs|source|exec)\b/;

/**
 * A command without its parts that only show files, like `tail logs/server.log`: such files often change while the user
 * is asked, and run nothing. All of it where what they show could be run.
 */
function withoutReaders(command: string): string {
  const toFiles = command.replace(/\d?>{1,2}\s*(?:&\d|\/dev\/null)/g, " ");
  if (couldRunText.test(toFiles)) return command;
  const parts = command.split(/(&&|\|\||[;\n&])/);
  const isReader = (stage: string) => readers.has(/^\S*/.exec(stage.replace(keywords, "").trim())?.[0] ?? "");
  const rest = parts.filter(
    (part) => !part.split("|").every(isReader) && !/^(?:&&|\|\||[;\n&])?\s*(?:done|fi|\})?\s*$/.test(part),
  );
  // What is shown into a file could be run by what remains.
  return toFiles.includes(">") && rest.length > 0 ? command : rest.join(" ");
}

/** Of calls: package.json calls a script, which runs a file, which loads another one. */
const maxDepth = 4;
const maxFiles = 100;
const maxFileBytes = 256 * 1_024;
const maxNamesInText = 200;
const manifestName = "package.json";

interface Text {
  text: string;
  /** What its names may be relative to. */
  folders: readonly string[];
}

/** What loaders add to a name without an ending. */
const endings = ["", ".js", ".mjs", ".cjs", ".ts", ".py", ".sh", ".rb", "/index.js"];
const pathName = /[\w@.~+-]*\/[\w@./~+-]+|[\w@.+-]+\.(?:[cm]?[jt]sx?|py|sh|bash|zsh|rb|pl|php|lua|mk|ps1)\b/g;
const pythonImport = /^\s*(?:from|import)\s+([\w.]+)/gm;

function* pathsIn({ text, folders }: Text): Generator<string> {
  const modules = [...text.matchAll(pythonImport)].map(([, module = ""]) => module.replaceAll(".", "/"));
  const names = new Set([...(text.match(pathName) ?? []), ...modules].slice(0, maxNamesInText));
  for (const name of names) {
    const tried = /\.\w{1,4}$/.test(name) ? [""] : endings;
    for (const folder of folders) for (const ending of tried) yield resolve(folder, name + ending);
  }
}

/** The texts of the scripts of package.json that a command line calls, and of those that are run before and after. */
async function packageScripts({ text, folders: [folder = "/"] }: Text, isInside: (path: string) => boolean) {
  if (!/\b(?:npm|npx|pnpm|yarn|bun)\b/.test(text)) return [];
  for (let at = folder; isInside(at) && at !== dirname(at); at = dirname(at)) {
    const scripts = scriptsOf(await textOf(join(at, manifestName)));
    if (scripts === undefined) continue;
    const words = new Set(text.match(/[\w:./-]+/g));
    const isCalled = (name: string) => words.has(name) || words.has(name.replace(/^(?:pre|post)/, ""));
    return Object.entries(scripts).flatMap(([name, script]): Text[] =>
      typeof script === "string" && isCalled(name) ? [{ text: script, folders: [at] }] : [],
    );
  }
  return [];
}

function scriptsOf(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  try {
    const { scripts }: { scripts?: Record<string, unknown> } = JSON.parse(text);
    return scripts ?? {};
  } catch {
    return {};
  }
}

/** Undefined for what is no file, or too large for a script. */
async function textOf(path: string): Promise<string | undefined> {
  const handle = await open(path, "r").catch(() => undefined);
  try {
    const stat = await handle?.stat();
    return stat?.isFile() && stat.size <= maxFileBytes ? await handle?.readFile("utf8") : undefined;
  } finally {
    await handle?.close();
  }
}
