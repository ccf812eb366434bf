import * as z from "zod";
import type { Author, WrittenFile } from "../model/change.ts";
import { original, withOriginals } from "../model/hunkStates.ts";
import type { LineEdit } from "../model/lineEdit.ts";
import { formatEdits, parseEdits } from "../model/schema.ts";
import { textOf } from "../model/trackedLines.ts";
import { typeInto } from "../model/trackText.ts";
import { withOthers } from "../model/undoHunks.ts";
import type { LeftEdits, PersistedEdits } from "../persistedEdits.ts";
import { currentText, type ReviewedWorkspace, recordingWorkspace } from "../reviewedWorkspace.ts";
import { historyNote, hunkReports, intactSignature, type NotedFile, unreportedSignature } from "./historyNote.ts";

interface HistoryDependencies {
  workspace: ReviewedWorkspace;
  saved: PersistedEdits;
  newId(): string;
  onError(error: unknown): void;
}

const mostFiles = 100;
const mostLines = 10_000;
const savesAfterMs = 300;

const signatures = z.record(z.string(), z.string());
const historySchema = z.object({
  version: z.literal(1),
  edits: z.string(),
  missing: z.array(z.string()),
  baseline: signatures,
  told: z.record(z.string(), signatures),
  events: z.record(z.string(), z.array(z.string())),
});

/**
 * What agents wrote, in every review mode, and what became of it: so that each agent hears what the user undid or
 * changed of its edits. Kept over a reload.
 */
export class EditHistory {
  readonly #dependencies: HistoryDependencies;
  /** The one written to last comes last. */
  #files = new Map<string, NotedFile>();
  /** By hunk: what all agents know of it. */
  #baseline: Record<string, string> = {};
  /** By agent and hunk: what it was told after that. */
  #told: Record<string, Record<string, string>> = {};
  /** By agent: what else it has to hear. */
  #events: Record<string, string[]> = {};
  #version = 0;
  readonly #upToDate = new Map<string, number>();
  #saving: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  readonly #loaded: Promise<void>;

  constructor(dependencies: HistoryDependencies) {
    this.#dependencies = dependencies;
    this.#loaded = this.#load().catch((error: unknown) => dependencies.onError(error));
  }

  /** The workspace as one agent writes to it. */
  workspaceOf(author: Author): ReviewedWorkspace {
    const { workspace, newId } = this.#dependencies;
    return recordingWorkspace({ store: this, workspace, author, newId });
  }

  find(path: string): WrittenFile | undefined {
    return this.#files.get(path);
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** An agent wrote. */
  put(file: WrittenFile): void {
    const { path } = file;
    const isKnown = this.#files.has(path);
    this.#files.delete(path);
    const deletes = file.hunks.at(-1)?.kind === "delete";
    if (file.hunks.length > 0 && file.lines.length <= mostLines) {
      this.#files.set(path, { ...(isKnown ? file : withOriginals(file)), exists: !deletes });
    }
    this.#forgetOldest();
    this.#changed();
  }

  /** A file's text is now this one. */
  setText(path: string, text: string, edits: readonly LineEdit[] = [], exists = true): void {
    const file = this.#files.get(path);
    const now = file && withText(file, text, edits, exists);
    if (now === undefined || now === file) return;
    this.#files.set(path, now);
    this.#changed();
  }

  /** Looks at what the files hold now. */
  async refresh(paths: Iterable<string> = [...this.#files.keys()]): Promise<void> {
    await this.#loaded;
    for (const path of paths) {
      if (!this.#files.has(path)) continue;
      const now = await currentText(this.#dependencies.workspace, path).catch(() => null);
      // What is no text any more, or can't be read, says nothing.
      if (now !== null) this.setText(path, now?.text ?? "", [], now !== undefined);
    }
  }

  /** What the files hold now was done by an agent's command, or is said in other words. */
  async absorb(paths: Iterable<string>): Promise<void> {
    const known = [...paths].filter((path) => this.#files.has(path));
    if (known.length === 0) return;
    await this.refresh(known);
    for (const path of known) {
      const file = this.#files.get(path);
      for (const { hunk, signature } of file === undefined ? [] : hunkReports(file)) {
        this.#baseline[hunk.id] = signature;
        for (const told of Object.values(this.#told)) delete told[hunk.id];
      }
    }
    this.#changed();
  }

  /** Something that the agent hears beside the next message. */
  addEvent(agentId: string, event: string): void {
    this.#events[agentId] = [...(this.#events[agentId] ?? []), event];
    this.#changed();
  }

  /**
   * An agent was stopped before it could report: those that it works for hear of its edits, and of those it delegated,
   * beside their next message.
   */
  leaveUnreported(agentId: string): void {
    for (const { author, id } of [...this.#files.values()].flatMap(({ hunks }) => hunks)) {
      const at = author.agentIds.indexOf(agentId);
      for (const above of author.agentIds.slice(0, Math.max(at, 0))) {
        this.#told[above] = { [id]: unreportedSignature, ...this.#told[above] };
      }
    }
    this.#changed();
  }

  /** What the agent has not heard yet of its edits and of those it delegated; it counts as heard. */
  takeNote(agentId: string): string | undefined {
    if (this.#upToDate.get(agentId) === this.#version) return undefined;
    const told = this.#told[agentId] ?? {};
    const known = (id: string) => told[id] ?? this.#baseline[id] ?? intactSignature;
    const reports = [...this.#files.values()]
      .toSorted((one, other) => (one.path < other.path ? -1 : 1))
      .flatMap(hunkReports)
      .filter(({ hunk }) => hunk.author.agentIds.includes(agentId));
    const news = reports
      .filter(({ hunk, signature }) => signature !== known(hunk.id))
      .map((report) => ({ ...report, isUnreported: known(report.hunk.id) === unreportedSignature }));
    const newIds = new Set(news.map(({ hunk }) => hunk.id));
    const others = reports.filter(({ hunk }) => !newIds.has(hunk.id));
    const note = historyNote(news, others, { agentId, events: this.#events[agentId] ?? [] });
    if (note !== undefined) {
      this.#told[agentId] = { ...told, ...Object.fromEntries(news.map(({ hunk, signature }) => [hunk.id, signature])) };
      delete this.#events[agentId];
      this.#changed();
    }
    this.#upToDate.set(agentId, this.#version);
    return note;
  }

  /**
   * Takes up what a window left that is gone: its chats go on here, and here is answered what it wrote. It is saved here
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
      const current = text === null ? file : withText(file, text?.text ?? "", [], text !== undefined);
      const known = this.#files.get(path);
      if (known === undefined) earlier.files.set(path, current);
      else if (textOf(known) === textOf(current)) {
        this.#files.set(path, { ...withOthers(known, current, isHunk), exists: known.exists });
      }
    }
    this.#takeUp(earlier);
    await this.#write();
    await left.remove();
  }

  dispose(): void {
    if (this.#saving !== undefined) void this.#save();
  }

  #changed(): void {
    this.#version += 1;
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
    const written = this.#writing.then(() => this.#dependencies.saved.write(json));
    this.#writing = written.catch(() => undefined);
    return written;
  }

  #json(): string {
    const files = [...this.#files.values()];
    const ids = new Set(files.flatMap(({ hunks }) => hunks.map(({ id }) => id)));
    const current = (of: Record<string, string>) =>
      Object.fromEntries(Object.entries(of).filter(([id]) => ids.has(id)));
    this.#baseline = current(this.#baseline);
    this.#told = Object.fromEntries(
      Object.entries(this.#told)
        .map(([agentId, told]) => [agentId, current(told)] as const)
        .filter(([, told]) => Object.keys(told).length > 0),
    );
    const missing = files.filter(({ exists }) => !exists).map(({ path }) => path);
    const state = { baseline: this.#baseline, told: this.#told, events: this.#events };
    return JSON.stringify({
      version: 1,
      edits: formatEdits(files.map(({ exists: _, ...file }) => file)),
      missing,
      ...state,
    });
  }

  async #load(): Promise<void> {
    const { saved } = this.#dependencies;
    const json = await saved.read();
    if (json === undefined) return;
    const earlier = stateFrom(json);
    if (earlier === undefined) await saved.setAside();
    else this.#takeUp(earlier);
  }

  /** What is known here is newer. */
  #takeUp({ files, baseline, told, events }: SavedState): void {
    this.#files = new Map([...[...files].filter(([path]) => !this.#files.has(path)), ...this.#files]);
    this.#forgetOldest();
    this.#baseline = { ...baseline, ...this.#baseline };
    for (const [agentId, heard] of Object.entries(told)) this.#told[agentId] = { ...heard, ...this.#told[agentId] };
    for (const [agentId, toHear] of Object.entries(events)) {
      this.#events[agentId] = [...new Set([...toHear, ...(this.#events[agentId] ?? [])])];
    }
    this.#version += 1;
  }

  #forgetOldest(): void {
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= mostFiles) break;
      this.#files.delete(oldest);
    }
  }
}

interface SavedState extends Pick<z.infer<typeof historySchema>, "baseline" | "told" | "events"> {
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

function withText(file: NotedFile, text: string, edits: readonly LineEdit[], exists: boolean): NotedFile {
  if (file.exists === exists && textOf(file) === text) return file;
  return { ...typeInto(file, text, edits), exists };
}

const isHunk = (by: string | undefined) => by !== undefined && by !== original;
