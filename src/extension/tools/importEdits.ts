import type { ToolContext } from "../../agent/vocabulary/tools.ts";
import type { ProposedChange } from "../changes/model/change.ts";
import { UserError } from "../common/userError.ts";
import { withReplacements } from "../workspace/version.ts";
import type { Replacement, TextSearch, Workspace } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import {
  folderOf,
  isRelative,
  isScript,
  moduleSpecifiers,
  movedAlias,
  movedSpecifier,
  namingOf,
  type Specifier,
  scriptGlob,
  specifierFor,
} from "./moduleSpecifiers.ts";
import { searchAllowed } from "./secretReads.ts";

interface Move {
  from: string;
  to: string;
}

/** Lines that may import the file; more than that are in no project that one would move a file in by hand. */
const mostMatches = 20_000;

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
  const bases = /(?:^|\/)index$/.test(stem) ? [stem, folderOf(stem)] : [stem];
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
  const parent = folderOf(from).split("/").at(-1) ?? "";
  const word = (text: string) => text.replace(/[\\^$.*+?()[\]{}|#&~-]/g, "\\$&");
  const query = name === "index" ? `["'](?:\\.|[^"']*${word(parent)})[^"']*["']` : `["'][^"']*${word(name)}[^"']*["']`;
  const search: TextSearch = {
    ...{ query, regex: true, caseSensitive: true, contextLines: 0, limit: mostMatches },
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
