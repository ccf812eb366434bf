// Long because all that is known of what agents wrote is in this one class.
import * as z from "zod";
import { SerialQueue } from "../../common/serialQueue.ts";
import { movedWith } from "../../workspace/search/fileTree.ts";
import type { Author, TrackedFile, TrackedLine } from "../model/change.ts";
import type { LineEdit } from "../model/lineEdit.ts";
import { formatEdits, parseEdits } from "../model/schema.ts";
import { liveText } from "../model/trackedLines.ts";
import { typeInto } from "../model/typeInto.ts";
import { withOthers } from "../model/undoHunks.ts";
import type { LeftEdits, PersistedEdits } from "../persistedEdits.ts";
import { fileWithMovedLines, LatelyRemoved } from "../provenance/movedBetween.ts";
import { original, withMovedLines, withReturnedLines } from "../provenance/movedLines.ts";
import { currentText, type ReviewedWorkspace, recordingWorkspace } from "../reviewedWorkspace.ts";
import { type NotedFile, noteFor, signaturesOf } from "./historyNote.ts";

interface HistoryDependencies {
  workspace: ReviewedWorkspace;
  saved: PersistedEdits;
  newId(): string;
  onError(error: unknown): void;
}

const maxFiles = 100;
const maxLines = 10_000;
const savesAfterMs = 300;

const signatures = z.record(z.string(), z.string());
const historySchema = z.object({
  version: z.literal(1),
  edits: z.string(),
  missing: z.array(z.string()),
  baseline: signatures,
  reported: z.record(z.string(), signatures),
  events: z.record(z.string(), z.array(z.string())),
  stopped: z.array(z.string()).default([]),
});

/**
 * What agents wrote, in every review mode, and what became of it: so that each agent learns what the user undid or
 * changed of its edits. Kept over a reload.
 */
export class EditHistory {
  readonly #dependencies: HistoryDependencies;
  /** The one written to last comes last. */
  #files = new Map<string, NotedFile>();
  /** By hunk: what all agents know of it. */
  #baseline: Record<string, string> = {};
  /** By agent and hunk: the signature that it was given after that. */
  #reported: Record<string, Record<string, string>> = {};
  /** Agents that never reported. */
  #stopped = new Set<string>();
  /** By agent: what else it has to know. */
  #events: Record<string, string[]> = {};
  #version = 0;
  readonly #upToDate = new Map<string, number>();
  #saving: NodeJS.Timeout | undefined;
  readonly #writes = new SerialQueue();
  readonly #loaded: Promise<void>;
  readonly #listeners = new Set<() => void>();
  readonly #removed = new LatelyRemoved();

  constructor(dependencies: HistoryDependencies) {
    this.#dependencies = dependencies;
    this.#loaded = this.#load().catch((error: unknown) => dependencies.onError(error));
  }

  /** The workspace as one agent writes to it. */
  workspaceOf(author: Author, workspace = this.#dependencies.workspace): ReviewedWorkspace {
    return recordingWorkspace({ stores: [this], workspace, author, newId: this.#dependencies.newId });
  }

  find(path: string): NotedFile | undefined {
    return this.#files.get(path);
  }

  /** All files, as they are known to be now. */
  get all(): readonly NotedFile[] {
    return [...this.#files.values()];
  }

  /** Called when a file has another text, or hunks. */
  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** An agent wrote. */
  put(file: TrackedFile): void {
    const { path } = file;
    // A file may be known of that no agent wrote to: the editor reports what is written before it is recorded here.
    const isWritten = (this.#files.get(path)?.hunks.length ?? 0) > 0;
    this.#files.delete(path);
    const deletes = file.hunks.at(-1)?.kind === "delete";
    if (file.hunks.length > 0 && file.lines.length <= maxLines) {
      this.#files.set(path, { ...(isWritten ? file : withOriginals(file)), exists: !deletes });
    }
    this.#forgetOldest();
    this.#changed();
  }

  /** A file's text is now this one. */
  setWrittenText(path: string, text: string, edits: readonly LineEdit[] = [], exists = true): void {
    const file = this.#files.get(path);
    const now = file && withText(file, { text, edits, exists, elsewhere: this.#removed.elsewhere(path) });
    if (file === undefined || now === undefined || now === file) return;
    this.#removed.note(file, now);
    this.#files.set(path, now);
    this.#changed();
  }

  /** What an agent wrote elsewhere may have been moved into a file that no agent wrote to. */
  typedElsewhere(typed: Parameters<typeof fileWithMovedLines>[0]): void {
    const file = fileWithMovedLines(typed, this.#removed.elsewhere(typed.path));
    if (file === undefined || file.lines.length > maxLines) return;
    this.#files.set(typed.path, { ...file, exists: true });
    this.#forgetOldest();
    this.#changed();
  }

  /** The user moved a file, or a folder with all in it. */
  followRename(from: string, to: string): void {
    const moved = this.all.flatMap((file) => {
      const path = file.exists ? movedWith(file.path, from, to) : undefined;
      return path === undefined ? [] : [{ file, path }];
    });
    if (moved.length === 0) return;
    for (const { file } of moved) this.#files.delete(file.path);
    for (const { file, path } of moved) this.#files.set(path, { ...file, path });
    const writers = moved.flatMap(({ file }) => file.hunks.flatMap(({ author }) => author.agentIds[0] ?? []));
    for (const agentId of new Set(writers)) this.addEvent(agentId, `The user moved ${from} to ${to}.`);
    this.#changed();
  }

  /** Looks at what the files hold now. */
  async refresh(paths: Iterable<string> = [...this.#files.keys()]): Promise<void> {
    await this.#loaded;
    for (const path of paths) {
      if (!this.#files.has(path)) continue;
      const now = await currentText(this.#dependencies.workspace, path).catch(() => null);
      // What is no text any more, or can't be read, says nothing.
      if (now !== null) this.setWrittenText(path, now?.text ?? "", [], now !== undefined);
    }
  }

  /** What the files hold now was done by an agent's command, or is reported otherwise. */
  async absorb(paths: Iterable<string>): Promise<void> {
    const known = [...paths].filter((path) => this.#files.has(path));
    if (known.length === 0) return;
    await this.refresh(known);
    for (const path of known) {
      const file = this.#files.get(path);
      for (const [id, signature] of file === undefined ? [] : Object.entries(signaturesOf(file))) {
        this.#baseline[id] = signature;
        for (const reported of Object.values(this.#reported)) delete reported[id];
      }
    }
    this.#changed();
  }

  /** Something that the agent gets beside the next message. */
  addEvent(agentId: string, event: string): void {
    const known = this.#events[agentId] ?? [];
    // Reported once more after the editor ended in the middle.
    if (known.at(-1) === event) return;
    this.#events[agentId] = [...known, event];
    this.#changed();
  }

  /**
   * An agent was stopped before it could report: those that it works for are informed of its edits, and of those it
   * delegated, beside their next message. What it is still writing counts too.
   */
  leaveUnreported(agentId: string): void {
    this.#stopped.add(agentId);
    this.#changed();
  }

  /** What the agent does not know yet of its edits and of those it delegated; it counts as known. */
  takeNote(agentId: string): string | undefined {
    if (this.#upToDate.get(agentId) === this.#version) return undefined;
    const reported = this.#reported[agentId] ?? {};
    const known = { ...this.#baseline, ...reported };
    const events = this.#events[agentId] ?? [];
    const found = noteFor([...this.#files.values()], { agentId, known, events, stopped: this.#stopped });
    if (found !== undefined) {
      this.#reported[agentId] = { ...reported, ...found.signatures };
      delete this.#events[agentId];
      this.#changed();
    }
    this.#upToDate.set(agentId, this.#version);
    return found?.note;
  }

  /**
   * Loads what a window left that is closed: its chats go on here, and here is answered what it wrote. It is saved here
   * before it is removed there.
   */
  async adopt(left: LeftEdits): Promise<void> {
    await this.#loaded;
    const json = await left.read();
    if (json === undefined) return;
    const earlier = stateFrom(json);
    if (earlier === undefined) return left.setAside();
    const now = new Map<string, Awaited<ReturnType<typeof currentText>> | null>();
    for (const path of earlier.files.keys()) {
      now.set(path, await currentText(this.#dependencies.workspace, path).catch(() => null));
    }
    await this.refresh(earlier.files.keys());
    for (const [path, file] of earlier.files) {
      const text = now.get(path);
      const current = text === null ? file : withText(file, { text: text?.text ?? "", exists: text !== undefined });
      const known = this.#files.get(path);
      if (known === undefined) earlier.files.set(path, current);
      else if (liveText(known) === liveText(current)) {
        this.#files.set(path, { ...withOthers(known, current, isHunk), exists: known.exists });
      }
    }
    this.#merge(earlier);
    await this.#write();
    await left.remove();
  }

  dispose(): void {
    if (this.#saving !== undefined) void this.#save();
  }

  #changed(): void {
    this.#version += 1;
    for (const listener of [...this.#listeners]) listener();
    this.#saving ??= setTimeout(() => void this.#save(), savesAfterMs);
  }

  #save(): Promise<void> {
    return this.#write().catch((error: unknown) => this.#dependencies.onError(error));
  }

  /** One write at a time, so that none comes after a newer one. */
  #write(): Promise<void> {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    const json = this.#json();
    return this.#writes.run(() => this.#dependencies.saved.write(json));
  }

  #json(): string {
    const files = [...this.#files.values()];
    const ids = new Set(files.flatMap(({ hunks }) => hunks.map(({ id }) => id)));
    const current = (of: Record<string, string>) =>
      Object.fromEntries(Object.entries(of).filter(([id]) => ids.has(id)));
    this.#baseline = current(this.#baseline);
    this.#reported = Object.fromEntries(
      Object.entries(this.#reported)
        .map(([agentId, reported]) => [agentId, current(reported)] as const)
        .filter(([, reported]) => Object.keys(reported).length > 0),
    );
    const missing = files.filter(({ exists }) => !exists).map(({ path }) => path);
    const authors = new Set(files.flatMap(({ hunks }) => hunks.flatMap(({ author }) => author.agentIds)));
    const stopped = [...this.#stopped].filter((agentId) => authors.has(agentId));
    const state = { baseline: this.#baseline, reported: this.#reported, events: this.#events };
    return JSON.stringify({
      version: 1,
      edits: formatEdits(files.map(({ exists: _, ...file }) => file)),
      missing,
      stopped,
      ...state,
    });
  }

  async #load(): Promise<void> {
    const { saved } = this.#dependencies;
    const json = await saved.read();
    if (json === undefined) return;
    const earlier = stateFrom(json);
    if (earlier === undefined) await saved.setAside();
    else this.#merge(earlier);
  }

  /** What is known here is newer. */
  #merge({ files, baseline, reported, events, stopped }: SavedState): void {
    for (const agentId of stopped) this.#stopped.add(agentId);
    this.#files = new Map([...[...files].filter(([path]) => !this.#files.has(path)), ...this.#files]);
    this.#forgetOldest();
    this.#baseline = { ...baseline, ...this.#baseline };
    for (const [agentId, known] of Object.entries(reported))
      this.#reported[agentId] = { ...known, ...this.#reported[agentId] };
    for (const [agentId, added] of Object.entries(events)) {
      this.#events[agentId] = [...new Set([...added, ...(this.#events[agentId] ?? [])])];
    }
    this.#version += 1;
  }

  #forgetOldest(): void {
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= maxFiles) break;
      this.#files.delete(oldest);
    }
  }
}

interface SavedState extends Pick<z.infer<typeof historySchema>, "baseline" | "reported" | "events" | "stopped"> {
  files: Map<string, NotedFile>;
}

/** As it was saved; undefined for what another version wrote, or what is damaged. */
function stateFrom(json: string): SavedState | undefined {
  try {
    const { edits, missing, ...state } = historySchema.parse(JSON.parse(json));
    const files = parseEdits(edits)?.map(
      (file) => [file.path, { ...file, exists: !missing.includes(file.path) }] as const,
    );
    return files && { ...state, files: new Map(files) };
  } catch {
    return undefined;
  }
}

interface NewText {
  text: string;
  edits?: readonly LineEdit[];
  exists: boolean;
  elsewhere?: readonly TrackedLine[];
}

function withText(file: NotedFile, { text, edits = [], exists, elsewhere = [] }: NewText): NotedFile {
  if (file.exists === exists && liveText(file) === text) return file;
  // Lines of an agent that are there again are its own, whatever brought them back.
  const typed = withReturnedLines(file, typeInto(file, text, edits, true));
  return { ...withMovedLines(file, typed, elsewhere), exists };
}

/** The file as first written to: all of it but what agents wrote is as it was. */
function withOriginals(file: TrackedFile): TrackedFile {
  const isOriginal = ({ by, movedFrom }: TrackedLine) => by === undefined && movedFrom === undefined;
  const lines = file.lines.map((line) => (isOriginal(line) ? { ...line, by: original } : line));
  return { ...file, lines };
}

const isHunk = (by: string | undefined) => by !== undefined && by !== original;
