export interface ReadOptions {
  asReported?: boolean;
}

/**
 * The workspace as tools see it. Paths are workspace-relative with forward slashes, prefixed by the root's name where
 * there are several roots. The editor's unsaved text wins over the disk everywhere. Expected failures (no such file,
 * no folder open, a path outside the workspace) throw a `UserError` whose text a model and a person can act on.
 */
export interface Workspace {
  /** Names of the open folders; empty when none is open. */
  roots(): readonly string[];
  /** The one spelling of a path, whatever way it was written: a key for what is known about a file. */
  canonicalPath(path: string): string;
  stat(path: string): Promise<FileStat | undefined>;
  /** `asReported`: without asking the editor first whether more was typed just now, which takes as long as its window is busy. */
  read(path: string, signal: AbortSignal, options?: ReadOptions): Promise<FileContent>;
  /** Entries below a folder, .gitignore honoured, folders first, `path` relative to the workspace. */
  list(path: string, options: ListOptions, signal: AbortSignal): Promise<Listing>;
  /** Files that match a glob, newest first. */
  findFiles(pattern: string, limit: number, signal: AbortSignal): Promise<FoundFiles>;
  /** Streams matches as ripgrep finds them; stops the search when the consumer stops reading. */
  searchText(search: TextSearch, signal: AbortSignal): AsyncIterable<TextMatch>;
  diagnostics(path?: string): Promise<readonly FileDiagnostic[]>;
  /**
   * All diagnostics, with those of these files up to date, to be compared with a later snapshot. Absent where
   * `diagnostics` always covers every file.
   */
  diagnosticSnapshot?(paths: readonly string[], signal: AbortSignal): Promise<DiagnosticSnapshot>;
  /** Files whose text in the editor has changed since a snapshot, by whomever. */
  changedSince?(snapshot: DiagnosticSnapshot): readonly string[];
  /**
   * Replaces ranges of the current text in one undo step. A document without unsaved text is saved. With a `version`
   * (what `read` gave), a text that has another one by now is left alone and the call throws. `isExact`: the saved file
   * holds this very text, whatever formatters make of it on saving.
   */
  replace(
    path: string,
    replacements: readonly Replacement[],
    version?: string,
    options?: { isExact?: boolean },
  ): Promise<WriteResult>;
  /**
   * Writes a new file, with the folders it needs. Throws when it exists. One that was `removed` comes back with its
   * encoding and its mode, and with its very bytes when they hold this text.
   */
  create(path: string, text: string, removed?: RemovedFile): Promise<WriteResult>;
  /** Gives what it takes to create the file again as it was. */
  remove(path: string): Promise<RemovedFile | undefined>;
  /**
   * Moves a file as the editor's own rename does: language servers follow in the files that refer to it, and those that
   * had no unsaved text are saved. Throws when something is there. Gives the files in which they followed.
   */
  move(from: string, to: string): Promise<readonly string[]>;
  /** The outline of a file, in order of line; empty where no language server knows one. */
  documentSymbols(path: string, signal: AbortSignal): Promise<readonly CodeSymbol[]>;
  /** Symbols of the workspace by a part of their name; empty where no language server answers. */
  workspaceSymbols(query: string, signal: AbortSignal): Promise<readonly CodeSymbol[]>;
  /** Where what is at a position is defined; empty where no language server knows. */
  definition(path: string, at: Position, signal: AbortSignal): Promise<readonly CodeLocation[]>;
  /** Where what is at a position is used, its declaration included; empty where no language server knows. */
  references(path: string, at: Position, signal: AbortSignal): Promise<readonly CodeLocation[]>;
  /** What a rename by the language server would make of each file; nothing is written. Empty where there is none. */
  renameEdits(path: string, at: Position, newName: string, signal: AbortSignal): Promise<readonly TextChange[]>;
}

/** Both count from 1; columns are UTF-16 units. */
export interface Position {
  line: number;
  column: number;
}

/** A range in code. Outside the workspace `path` is absolute and nothing can be read there. */
export interface CodeLocation extends Position {
  path: string;
  isOutside: boolean;
}

export interface CodeSymbol {
  name: string;
  /** Like "class" or "function". */
  kind: string;
  /** What contains it, like the class of a method. */
  container?: string;
  path: string;
  line: number;
  /** The last line of all of it; absent where the language server reports only the position of its name. */
  endLine?: number;
}

/** A file's whole text as it is and as it would be. */
export interface TextChange {
  path: string;
  before: string;
  after: string;
}

interface FileStat {
  kind: "file" | "directory";
  /** bytes */
  size: number;
  /** milliseconds since the epoch */
  modifiedAt: number;
}

export type FileContent = {
  /** Of what was read through a link: where it really is, relative to its folder of the workspace. */
  leadsTo?: string;
} & (
  | {
      kind: "text";
      /** With its own line ends, without a byte order mark. */
      text: string;
      /** Changes whenever the text does. */
      version: string;
      /** The editor holds unsaved changes. */
      unsaved: boolean;
      /** The editor's language, for highlighting. */
      languageId: string;
    }
  | { kind: "image"; mimeType: string /** base64 */; data: string }
);

export interface ListOptions {
  depth: number;
  /** How many entries at most. */
  limit: number;
  /** Also what .gitignore leaves out; default: not. */
  includesIgnored?: boolean;
}

export interface Listing {
  entries: { path: string; kind: "file" | "directory" }[];
  /** How many were left out by the limit. */
  omitted: number;
}

export interface FoundFiles {
  paths: string[];
  truncated: boolean;
}

export interface TextSearch {
  query: string;
  regex: boolean;
  caseSensitive: boolean;
  include?: string;
  exclude?: string;
  contextLines: number;
  /** How many matching lines at most. */
  limit: number;
}

/** A matching line (`isMatch`) or one around it. `line` counts from 1. */
export interface TextMatch {
  path: string;
  line: number;
  text: string;
  isMatch: boolean;
}

export interface FileDiagnostic {
  path: string;
  /** from 1 */
  line: number;
  /** from 1 */
  column: number;
  severity: "error" | "warning" | "information" | "hint";
  message: string;
  source?: string;
}

/** Diagnostics at one time. */
export interface DiagnosticSnapshot {
  list: readonly FileDiagnostic[];
  /** Files of which all is known: of others, what is not in the list may only not have been looked for. */
  known: Pick<ReadonlySet<string>, "has">;
  /** How many changes of texts came before. */
  at: number;
}

/** `start` and `end` are UTF-16 offsets in the text that `read` gave. */
export interface Replacement {
  start: number;
  end: number;
  text: string;
}

export interface RemovedFile {
  /** base64 */
  bytes: string;
  /** The permission bits of a file on this machine's disk. */
  mode?: number;
}

/** `text` is what the editor holds afterwards: formatting on save may have changed what was written. */
export interface WriteResult {
  text: string;
  saved: boolean;
}
