import type { ToolContext } from "../../agent/vocabulary/tools.ts";
import type { ProposedChange } from "../changes/model/change.ts";
import { escapeRegex } from "../common/escapeRegex.ts";
import { UserError } from "../common/userError.ts";
import { withReplacements } from "../workspace/documents/version.ts";
import { parentOf } from "../workspace/search/fileTree.ts";
import type { Replacement, TextSearch, Workspace } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { searchAllowed } from "./secretReads.ts";

interface Move {
  from: string;
  to: string;
}

/** Lines that may import the file; more than that are in no project that one would move a file in by hand. */
const maxMatches = 20_000;

/**
 * What a move makes of imports: those of the moved file in all scripts, and its own. Relative ones are followed by
 * their text, which says all; an alias where the language server says that it means the file. Empty for other files.
 */
export async function importEdits(
  dependencies: ToolDependencies,
  move: Move,
  context: ToolContext,
): Promise<ProposedChange[]> {
  const { workspace } = dependencies;
  if (!isScript(move.from) || !isScript(move.to) || rootOf(workspace, move.from) !== rootOf(workspace, move.to))
    return [];
  const changes: ProposedChange[] = [];
  const own = await textOf(workspace, move.from, context);
  if (own !== undefined) {
    const after = edited(own, moduleSpecifiers(own), ({ text }) => ownSpecifier(text, move));
    if (after !== own) changes.push({ path: move.to, before: own, after, follows: move.from });
  }
  for (const path of await candidates(dependencies, move, context)) {
    const before = await textOf(workspace, path, context);
    if (before === undefined) continue;
    const specifiers = moduleSpecifiers(before);
    const renamed = new Map<Specifier, string>();
    for (const specifier of specifiers) {
      const text = await newSpecifier(workspace, { path, text: before, specifier }, move, context);
      if (text !== undefined) renamed.set(specifier, text);
    }
    const after = edited(before, specifiers, (specifier) => renamed.get(specifier));
    if (after !== before) changes.push({ path, before, after, follows: move.from });
  }
  return changes;
}

/** Imports of the file itself go on to mean it. */
function ownSpecifier(specifier: string, { from, to }: Move): string | undefined {
  if (!isRelative(specifier)) return undefined;
  const naming = namingOf(specifier, { importer: from, file: from, exists: () => false });
  return naming === undefined ? movedSpecifier(specifier, from, to) : specifierFor(to, to, naming);
}

async function newSpecifier(
  workspace: Workspace,
  { path, text, specifier }: { path: string; text: string; specifier: Specifier },
  { from, to }: Move,
  { signal }: ToolContext,
): Promise<string | undefined> {
  if (isRelative(specifier.text)) {
    const known = await siblings(workspace, from);
    const naming = namingOf(specifier.text, { importer: path, file: from, exists: (other) => known.has(other) });
    return naming && specifierFor(to, path, naming);
  }
  const alias = movedAlias(specifier.text, from, to);
  if (alias === undefined) return undefined;
  const lines = text.slice(0, specifier.start).split(/\r\n|\r|\n/);
  const at = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  const meant = await workspace.definition(path, at, signal);
  return meant.some((place) => place.path === from) ? alias : undefined;
}

/** Files by the names that could stand for the moved one. */
async function siblings(workspace: Workspace, from: string): Promise<ReadonlySet<string>> {
  const stem = from.replace(/(?:\.d)?\.\w+$/, "");
  const bases = /(?:^|\/)index$/.test(stem) ? [stem, parentOf(stem)] : [stem];
  const names = bases.flatMap((base) =>
    [".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs"].map((end) => base + end),
  );
  const stats = await Promise.all(names.map((name) => workspace.stat(name).catch(() => undefined)));
  return new Set(names.filter((name, index) => name !== from && stats[index]?.kind === "file"));
}

/** Scripts that have the file's name in them. */
async function candidates(dependencies: ToolDependencies, { from }: Move, context: ToolContext): Promise<string[]> {
  const { workspace } = dependencies;
  const name = from.slice(from.lastIndexOf("/") + 1).replace(/(?:\.d)?\.\w+$/, "");
  const parent = parentOf(from).split("/").at(-1) ?? "";
  const query =
    name === "index"
      ? `["'](?:\\.|[^"']*${escapeRegex(parent)})[^"']*["']`
      : `["'][^"']*${escapeRegex(name)}[^"']*["']`;
  const search: TextSearch = {
    ...{ query, regex: true, caseSensitive: true, contextLines: 0, limit: maxMatches },
    include: scriptGlob,
  };
  const paths = new Set<string>();
  for await (const { path } of searchAllowed(dependencies, search, context)) paths.add(path);
  paths.delete(from);
  return [...paths].filter((path) => rootOf(workspace, path) === rootOf(workspace, from)).sort();
}

/** What can't be read as text imports nothing. */
async function textOf(workspace: Workspace, path: string, { signal }: ToolContext): Promise<string | undefined> {
  try {
    const content = await workspace.read(path, signal);
    return content.kind === "text" ? content.text : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function edited(
  text: string,
  specifiers: readonly Specifier[],
  rename: (specifier: Specifier) => string | undefined,
): string {
  const replacements = specifiers.flatMap((specifier): Replacement[] => {
    const renamed = rename(specifier);
    return renamed === undefined || renamed === specifier.text
      ? []
      : [{ start: specifier.start, end: specifier.end, text: renamed }];
  });
  return withReplacements(text, replacements);
}

/** Of several open folders the one that a path begins with; relative imports do not lead from one to another. */
function rootOf(workspace: Workspace, path: string): string {
  return workspace.roots().length > 1 ? path.slice(0, path.indexOf("/")) : "";
}

/** What is between the quotes of an import, and where: UTF-16 offsets. */
interface Specifier {
  start: number;
  end: number;
  text: string;
}

/** Files whose imports are known by their text. */
const scriptGlob = "**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,vue,svelte,astro}";
const scriptName = /\.(?:[mc]?[tj]s|[tj]sx|vue|svelte|astro)$/;

function isScript(path: string): boolean {
  return scriptName.test(path);
}

/** Comments, template and string literals, names with their dots, and single characters. */
const token =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|`(?:\\[\s\S]|[^`\\])*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[\w$][\w$.]*|\S/g;
const importing =
  /^(?:import|require|require\.resolve|(?:jest|vi)\.(?:mock|unmock|doMock|requireActual|importActual))$/;

/** The modules that a script imports, exports from, requires or mocks; not what only looks so in comments and texts. */
export function moduleSpecifiers(script: string): Specifier[] {
  const found: Specifier[] = [];
  let [last, beforeLast] = ["", ""];
  for (const { 0: text, index } of script.matchAll(token)) {
    if (text.startsWith("//") || text.startsWith("/*")) continue;
    const isString = text.length > 1 && /^["']/.test(text);
    if (isString && (last === "from" || last === "import" || (last === "(" && importing.test(beforeLast)))) {
      found.push({ start: index + 1, end: index + text.length - 1, text: text.slice(1, -1) });
    }
    // `import<T>("x")` and `typeof import("x")` have no more before the bracket than `import`.
    [beforeLast, last] = [last, text];
  }
  return found;
}

/** In the order in which a name without an ending is looked for. */
const endings = [".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];
/** Endings that stand for those of the source, once it is compiled. */
const compiled: Readonly<Record<string, string>> = { ".ts": ".js", ".tsx": ".js", ".mts": ".mjs", ".cts": ".cjs" };

function isRelative(specifier: string): boolean {
  return /^\.{1,2}(?:\/|$)/.test(specifier);
}

/** How a relative specifier names a file: with its ending, with the ending of what it compiles to, without, or by its folder. */
export type Naming = "whole" | "compiled" | "plain" | "folder";

/** How a specifier in `importer` names the file; undefined where it means another one. Paths are of one workspace folder. */
export function namingOf(
  specifier: string,
  { importer, file, exists }: { importer: string; file: string; exists: (path: string) => boolean },
): Naming | undefined {
  const meant = joined(parentOf(importer), specifier);
  if (meant === undefined) return undefined;
  if (meant === file) return "whole";
  const { stem, ending } = partsOf(file);
  if (meant === `${stem}${compiled[ending] ?? "\0"}` || (ending === ".tsx" && meant === `${stem}.jsx`)) {
    return exists(meant) ? undefined : "compiled";
  }
  const rank = endings.indexOf(ending);
  if (rank < 0) return undefined;
  const isHidden = (base: string) => endings.slice(0, rank).some((better) => exists(`${base}${better}`));
  if (meant === stem) return isHidden(stem) ? undefined : "plain";
  const isIndex = stem === (meant === "" ? "index" : `${meant}/index`);
  if (!isIndex || isHidden(stem) || endings.some((other) => meant !== "" && exists(`${meant}${other}`)))
    return undefined;
  return "folder";
}

/** The specifier that names a file from `importer` in the same way as another one was named. */
export function specifierFor(file: string, importer: string, naming: Naming): string {
  const { stem, ending } = partsOf(file);
  const named = (path: string) => relativeTo(parentOf(importer), path);
  if (naming === "whole") return named(file);
  if (naming === "compiled") return named(`${stem}${compiled[ending] ?? ending}`);
  if (!endings.includes(ending)) return named(file);
  if (!/(?:^|\/)index$/.test(stem)) return named(stem);
  const folder = named(parentOf(stem));
  return folder === "." || naming === "plain" ? named(stem) : folder;
}

/** A relative specifier of a file that goes from one place to another, so that it means the same from there. */
export function movedSpecifier(specifier: string, from: string, to: string): string {
  const meant = joined(parentOf(from), specifier);
  if (meant === undefined || parentOf(from) === parentOf(to)) return specifier;
  const relative = relativeTo(parentOf(to), meant);
  return specifier.endsWith("/") && !relative.endsWith("/") ? `${relative}/` : relative;
}

/** The specifier of an alias, like `@/cart/cart`, when what it names goes elsewhere: its end is the end of the path. */
export function movedAlias(specifier: string, from: string, to: string): string | undefined {
  const [source, target] = [partsOf(from), partsOf(to)];
  const end = specifier.endsWith(source.ending) ? source.ending : "";
  const words = specifier.slice(0, specifier.length - end.length).split("/");
  const parts = source.stem.split("/");
  let same = 0;
  while (same < Math.min(words.length - 1, parts.length) && words.at(-1 - same) === parts.at(-1 - same)) same++;
  const prefix = parts.slice(0, parts.length - same).join("/");
  if (same === 0 || !(prefix === "" || target.stem.startsWith(`${prefix}/`))) return undefined;
  const rest = prefix === "" ? target.stem : target.stem.slice(prefix.length + 1);
  return `${words.slice(0, words.length - same).join("/")}/${rest}${end === "" ? "" : target.ending}`;
}

function partsOf(path: string): { stem: string; ending: string } {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = /\.d\.[mc]?ts$/.test(name) ? name.search(/\.d\.[mc]?ts$/) : name.lastIndexOf(".");
  const ending = dot > 0 ? name.slice(dot) : "";
  return { stem: path.slice(0, path.length - ending.length), ending };
}

/** Undefined for what leaves the workspace. */
function joined(folder: string, specifier: string): string | undefined {
  const parts = folder === "" ? [] : folder.split("/");
  for (const part of specifier.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}

function relativeTo(folder: string, path: string): string {
  const [from, to] = [folder === "" ? [] : folder.split("/"), path === "" ? [] : path.split("/")];
  let same = 0;
  while (same < from.length && same < to.length && from[same] === to[same]) same++;
  const up = from.slice(same).map(() => "..");
  const relative = [...up, ...to.slice(same)].join("/");
  return up.length > 0 ? relative : relative === "" ? "." : `./${relative}`;
}
