import { sep } from "node:path";
import * as z from "zod";
import { escapeRegex } from "../../common/escapeRegex.ts";
import type { TextMatch, TextSearch } from "../workspace.ts";
import type { FileAges } from "./fileAges.ts";
import type { IgnoreRules } from "./ignoreRules.ts";
import type { NewestFiles } from "./newestFiles.ts";
import { type RipgrepRun, ripgrepBatches, ripgrepLines } from "./ripgrepProcess.ts";
import { type RipgrepScope, scopeOf } from "./ripgrepScope.ts";
import { SearchedFile, SearchedFolder } from "./searchedFile.ts";
import { clipLine } from "./searchLines.ts";

/** One root as ripgrep is run in it. */
export interface RipgrepRoot {
  binary: string;
  folder: string;
  /** Globs of the user's settings for what searches leave out. */
  always: readonly string[];
  rules: IgnoreRules;
}

/** A user's own configuration and rules outside the workspace are left alone, so that all searches see the same files. */
const common = ["--no-config", "--hidden", "--no-require-git", "--no-ignore-global", "--no-ignore-parent"];

/** Text search in one root. Paths come relative to it. */
export async function* ripgrepSearch(
  root: RipgrepRoot,
  search: TextSearch,
  signal: AbortSignal,
): AsyncGenerator<TextMatch> {
  const scope = await scopeOf(root, search.include, search.exclude);
  const args = ["--json", ...queryArguments(search), ...scope.args, "--", ...scope.folders];
  let left = search.limit;
  const found = foundTogether(ripgrepBatches(runIn(root, args, search.query), signal));
  for await (const match of inFolder(root, search, found, { lets: scope.lets, signal })) {
    if (match.isMatch && left-- <= 0) return;
    yield match;
    if (left === 0 && search.contextLines === 0) return;
  }
}

/**
 * What is found in files of that folder. ripgrep opens files by their names: a running command may have swapped one, or a
 * folder of it, for a link. So the file is opened once more and judged, and only what is in that one counts.
 */
async function* inFolder(
  root: RipgrepRoot,
  search: TextSearch,
  found: AsyncIterable<readonly Found[]>,
  { lets, signal }: { lets: RipgrepScope["lets"]; signal: AbortSignal },
): AsyncGenerator<TextMatch> {
  const folder = new SearchedFolder(root.folder);
  const files = new FilesAhead(async (path) =>
    (await lets?.(path)) === false ? undefined : SearchedFile.open(folder, path),
  );
  let file: SearchedFile | undefined;
  let path: string | undefined;
  let lastLine = 0;
  try {
    for await (const together of found) {
      files.expect(together, path);
      for (const { bytes, matches } of together) {
        const [first] = matches;
        if (first === undefined) continue;
        if (first.path !== path) {
          path = first.path;
          lastLine = 0;
          files.leave(file);
          file = await files.take(path);
        }
        if (file === undefined) continue;
        if (file.holds(bytes)) {
          yield* matches;
          lastLine = matches.at(-1)?.line ?? lastLine;
          continue;
        }
        // It was another file that ripgrep searched, or one that can't be looked at so.
        for await (const match of ripgrepText(root, search, { path: first.path, text: file.number }, signal)) {
          if (match.line > lastLine) yield match;
        }
        files.leave(file);
        file = undefined;
      }
    }
  } finally {
    files.leave(file);
    await files.close();
  }
}

/** How many files are open beside the one that is looked at. */
const maxOpenAhead = 16;

/** Opens files ahead of their turn: each is several calls of the file system, and a search finds something in a hundred. */
class FilesAhead {
  readonly #open: (path: string) => Promise<SearchedFile | undefined>;
  readonly #opening = new Map<string, Promise<SearchedFile | undefined>>();
  readonly #closing: Promise<void>[] = [];
  #coming: string[] = [];

  constructor(open: (path: string) => Promise<SearchedFile | undefined>) {
    this.#open = open;
  }

  /** These come next. Of the file at `path` there is more, and it is open. */
  expect(found: readonly Found[], path: string | undefined): void {
    const paths = new Set(found.flatMap(({ matches }) => matches.slice(0, 1).map((match) => match.path)));
    this.#coming = [...paths].filter((coming) => coming !== path);
  }

  take(path: string): Promise<SearchedFile | undefined> {
    const opening = this.#opening.get(path) ?? this.#open(path);
    this.#opening.delete(path);
    this.#coming = this.#coming.filter((coming) => coming !== path);
    for (const next of this.#coming.splice(0, maxOpenAhead - this.#opening.size)) {
      const ahead = this.#open(next);
      // It fails for the one that takes it.
      ahead.catch(() => undefined);
      this.#opening.set(next, ahead);
    }
    return opening;
  }

  /** Nothing waits for it to be closed but the end of the search. */
  leave(file: SearchedFile | undefined): void {
    if (file === undefined) return;
    const closing = file.close();
    // It fails for the one that waits.
    closing.catch(() => undefined);
    this.#closing.push(closing);
  }

  async close(): Promise<void> {
    const opening = [...this.#opening.values()].map((opened) => opened.catch(() => undefined));
    for (const file of await Promise.all(opening)) this.leave(file);
    await Promise.all(this.#closing);
  }
}

/** The same search in a text that is not on disk, or in a file that is open, by its number. */
export async function* ripgrepText(
  root: RipgrepRoot,
  search: TextSearch,
  { path, text }: { path: string; text: string | number },
  signal: AbortSignal,
): AsyncGenerator<TextMatch> {
  const run = { ...runIn(root, ["--json", ...queryArguments(search), "--", "-"], search.query), input: text };
  for await (const match of matchesOf(ripgrepLines(run, signal))) yield { ...match, path };
}

/** Every file of a root that matches a glob; relative to it, in no order, as they are found. */
async function* ripgrepFiles(
  root: RipgrepRoot,
  pattern: string,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const scope = await scopeOf(root, pattern, undefined);
  const args = ["--files", ...common, ...scope.args, "--", ...scope.folders];
  for await (const lines of ripgrepBatches(runIn(root, args, pattern), signal)) {
    const paths = lines.map(relativePath);
    if (!scope.lets) yield paths;
    else {
      const meant: string[] = [];
      for (const path of paths) if (await scope.lets(path)) meant.push(path);
      yield meant;
    }
  }
}

/**
 * Adds them with their age, their paths given by `nameOf`. Between what ripgrep wrote together, the event loop has its
 * turn.
 */
export async function findNewest(
  { root, ages, pattern }: { root: RipgrepRoot; ages: FileAges; pattern: string },
  into: NewestFiles,
  signal: AbortSignal,
  nameOf: (path: string) => string = (path) => path,
): Promise<void> {
  for await (const paths of ripgrepFiles(root, pattern, signal)) {
    const modifiedAt = ages.modifiedAt(paths);
    for (const [index, path] of paths.entries()) into.add(nameOf(path), modifiedAt[index] ?? 0);
  }
}

function runIn(root: RipgrepRoot, args: readonly string[], query: string): RipgrepRun {
  return { binary: root.binary, folder: root.folder, args, query };
}

function queryArguments({ query, regex, caseSensitive, contextLines }: TextSearch): string[] {
  const lines = query.split(/\r?\n/);
  // A literal over several lines has to match whatever their ends are, which only an expression can say.
  const literal = lines.length > 1 ? lines.map(escapeRegex).join("\\r?\\n") : query;
  const spansLines = lines.length > 1 || (regex && /\\n/.test(query));
  return [
    ...common,
    "--crlf",
    caseSensitive ? "--case-sensitive" : "--ignore-case",
    ...(contextLines > 0 ? [`--context=${contextLines}`] : []),
    ...(spansLines ? ["--multiline"] : []),
    ...(regex || spansLines ? [] : ["--fixed-strings"]),
    `--regexp=${regex ? query : literal}`,
  ];
}

/** Text, or bytes (base64) where it is not UTF-8. */
const textSchema = z.union([
  z.object({ text: z.string() }).transform(({ text }) => ({ text, raw: Buffer.from(text) })),
  z.object({ bytes: z.string() }).transform(({ bytes }) => {
    const raw = Buffer.from(bytes, "base64");
    return { text: raw.toString("latin1"), raw };
  }),
]);

const lineSchema = z.object({
  type: z.enum(["match", "context"]),
  data: z.object({
    path: textSchema,
    lines: textSchema,
    line_number: z.int(),
    submatches: z.array(z.object({ start: z.int() })),
  }),
});

/** Lines that belong together, and their bytes. */
interface Found {
  bytes: Buffer;
  matches: TextMatch[];
}

/** The lines of ripgrep's JSON output that are matches or around them. */
export async function* matchesOf(lines: AsyncIterable<string>): AsyncGenerator<TextMatch> {
  for await (const line of lines) for (const { matches } of foundIn([line])) yield* matches;
}

/** Of more lines that came together than a search may want, not all are read at once. */
const linesAtOnce = 50;

async function* foundTogether(batches: AsyncIterable<readonly string[]>): AsyncGenerator<readonly Found[]> {
  for await (const lines of batches) {
    for (let at = 0; at < lines.length; at += linesAtOnce) yield [...foundIn(lines.slice(at, at + linesAtOnce))];
  }
}

function* foundIn(lines: Iterable<string>): Generator<Found> {
  for (const line of lines) {
    if (!line.startsWith('{"type":"match"') && !line.startsWith('{"type":"context"')) continue;
    const { type, data } = lineSchema.parse(JSON.parse(line));
    const path = relativePath(data.path.text);
    const texts = data.lines.text.replace(/\r?\n$/, "").split(/\r?\n/);
    const matches = texts.map((text, index) => {
      const at = index === 0 ? characterAt(data.lines, data.submatches[0]?.start ?? 0) : 0;
      return { path, line: data.line_number + index, text: clipLine(text, at), isMatch: type === "match" };
    });
    yield { bytes: data.lines.raw, matches };
  }
}

/** ripgrep counts bytes. */
function characterAt({ text, raw }: z.infer<typeof textSchema>, byte: number): number {
  return raw.length === text.length ? byte : raw.subarray(0, byte).toString().length;
}

/** A path as ripgrep writes it for a search of `./`, with forward slashes and without the start. */
function relativePath(path: string): string {
  const slashed = sep === "/" ? path : path.replaceAll(sep, "/");
  return slashed.startsWith("./") ? slashed.slice(2) : slashed;
}
