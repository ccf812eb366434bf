import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { t } from "@vscode/l10n";
import type { AgentMessage } from "../../agent/types.ts";
import type { TimedEntry } from "../../protocol/messages.ts";
import { diskFiles, type Files, isFileSystemError, type OpenFile } from "../common/files.ts";
import type { Lock } from "../common/lock.ts";
import { ownIdentity, type ProcessIdentity } from "../common/processIdentity.ts";
import { UserError } from "../common/userError.ts";
import { listSessions, live, pruneSessions, stateOf } from "./listSessions.ts";
import { type PageLimits, pageLimits, readCallResults, readNew, readPage, readTranscript, summarize } from "./pages.ts";
import type { Unfinished } from "./records.ts";
import { isFull, repair, rewrittenText, withUserErrors, writingProblem } from "./repair.ts";
import type {
  CallResults,
  NewEntries,
  Retention,
  SessionAppender,
  SessionCursor,
  SessionStorage,
  SessionSummary,
  StoredSession,
} from "./session.ts";
import { readSessionFile, type SessionFile } from "./sessionFile.ts";
import {
  fileOf,
  isSetAside,
  isWrittenElsewhere,
  lockOf,
  moveBack,
  moveToRemoved,
  removeForGood,
  type SessionLocation,
  sessionPath,
  withFile,
  withOpenFile,
} from "./sessionFolder.ts";
import { copySession, exportText, importText } from "./transfer.ts";
import { type Later, nothingWritten, SessionFileWriter, type SnapshotInterval, type WriterOptions } from "./writer.ts";

export interface SessionStorageOptions {
  /** A folder for the sessions of one workspace; it is made when it is needed. */
  folder: string;
  /** A warning for the user: a sentence, once until what failed works again. With an id it concerns that session alone. */
  onTrouble(message: string, id?: string): void;
  files?: Files;
  now?(): number;
  newId?(): string;
  owner?: ProcessIdentity;
  /**
   * How long `open` waits for another process to release a session before it only reads it. When a window is reloaded,
   * its next process may start before the last one has ended.
   */
  patienceMs?: number;
  page?: PageLimits;
  snapshotEvery?: SnapshotInterval;
  /** When growing text is written: a little later. */
  later?: Later;
}

export function openSessionStorage(options: SessionStorageOptions): SessionStorage {
  return new SessionFolder(options);
}

const lockPollMs = 50;

interface LockOutcome {
  lock?: Lock;
  isOurs: boolean;
  problem?: string;
}

class SessionFolder implements SessionStorage {
  readonly #location: SessionLocation;
  readonly #page: PageLimits;
  readonly #patienceMs: number;
  readonly #onTrouble: (message: string, id?: string) => void;
  readonly #later: Later | undefined;
  readonly #snapshotEvery: SnapshotInterval | undefined;
  readonly #writers = new Map<string, SessionFileWriter>();
  /** The file that is read page by page. */
  #paged: { id: string; session: SessionFile } | undefined;

  constructor(options: SessionStorageOptions) {
    const { folder, files = diskFiles, now = Date.now, newId = randomUUID } = options;
    let { owner } = options;
    this.#location = { folder, files, now, newId, owner: () => (owner ??= ownIdentity()), abandoned: new Set() };
    this.#page = options.page ?? pageLimits;
    this.#patienceMs = options.patienceMs ?? 0;
    this.#onTrouble = options.onTrouble;
    this.#later = options.later;
    this.#snapshotEvery = options.snapshotEvery;
  }

  list(): Promise<SessionSummary[]> {
    return withUserErrors(() => listSessions(this.#location));
  }

  state(): string {
    return stateOf(this.#location);
  }

  async create(id: string): Promise<SessionAppender> {
    const lock = () => {
      const own = lockOf(this.#location, id);
      if (own === undefined) throw inAnotherWindow();
      return own;
    };
    return this.#write(id, { lock, written: nothingWritten() });
  }

  async open(id: string): Promise<StoredSession> {
    const { lock, isOurs, problem } = await this.#lock(id);
    try {
      return await withFile(this.#location, id, async (file) => {
        const problems = [...(problem === undefined ? [] : [problem]), ...repair(this.#location, id, file, isOurs)];
        const { entries, stateEntries, earlier } = await readPage(file, this.#page);
        const stored = summarize(id, file);
        const summary = isOurs ? stored : live(this.#location, stored);
        const { fold, end } = file;
        const { lastSeq, unfinished } = fold;
        const session: StoredSession = { summary, entries, stateEntries, lastSeq, unfinished, end, problems };
        if (earlier !== undefined) {
          session.earlier = earlier;
          this.#paged = { id, session: file };
        }
        if (isOurs) session.writer = this.#write(id, { written: file, ...(lock !== undefined && { lock }) });
        return session;
      });
    } catch (error) {
      lock?.release();
      throw error;
    }
  }

  readEarlier(id: string, cursor: SessionCursor) {
    return withOpenFile(this.#location, id, async (file) => {
      const session = await this.#read(id, file);
      const { entries, earlier } = await readPage(session, this.#page, cursor);
      this.#paged = earlier && { id, session };
      return { entries, ...(earlier !== undefined && { earlier }) };
    });
  }

  readNew(id: string, from: number): Promise<NewEntries> {
    return withOpenFile(this.#location, id, async (file) => {
      // Asked first: what a process wrote before it released the session is read with the rest.
      const isLive = isWrittenElsewhere(this.#location, id);
      return { ...(await readNew(file, from)), isLive };
    });
  }

  readUnfinished(id: string): Promise<Unfinished[]> {
    return withFile(this.#location, id, async ({ fold }) => fold.unfinished);
  }

  messagesOf(id: string, agentId: string, beforeSeq = Number.POSITIVE_INFINITY): Promise<AgentMessage[]> {
    return withOpenFile(this.#location, id, async (file) =>
      readTranscript(await this.#read(id, file), agentId, beforeSeq),
    );
  }

  callResultsOf(id: string, agentId: string): Promise<CallResults> {
    return withOpenFile(this.#location, id, (file) => readCallResults(file, agentId));
  }

  readAll(id: string, take: (entries: readonly TimedEntry[]) => Promise<void>): Promise<void> {
    return withFile(this.#location, id, async (session) =>
      (await import("./recording.ts")).readRecording(session, take),
    );
  }

  /** The file that is being paged is not read again, unless it has changed since. */
  async #read(id: string, file: OpenFile): Promise<SessionFile> {
    const { session } = this.#paged?.id === id ? this.#paged : {};
    return session?.size === (await file.size()) ? { ...session, file } : readSessionFile(file);
  }

  fileOf(id: string): string {
    return fileOf(this.#location, id);
  }

  async rename(id: string, title: string): Promise<void> {
    const own = this.#writers.get(id);
    if (own !== undefined) return own.rename(title);
    const { writer } = await this.open(id);
    const opened = this.#writers.get(id);
    if (writer === undefined || opened === undefined) throw inAnotherWindow();
    opened.rename(title);
    await opened.close();
    if (!opened.isSaved) throw new UserError(t("The new name could not be saved. Try again."));
  }

  remove(id: string): Promise<void> {
    return withUserErrors(async () => {
      await this.#writers.get(id)?.close();
      if (!isSetAside(id) && isWrittenElsewhere(this.#location, id)) throw inAnotherWindow();
      moveToRemoved(this.#location, id);
    });
  }

  restore(id: string): Promise<void> {
    return withUserErrors(() => moveBack(this.#location, id));
  }

  fork(id: string, beforeSeq?: number): Promise<string> {
    return withUserErrors(() => copySession(this.#location, id, beforeSeq));
  }

  exportJson(id: string): Promise<string> {
    return exportText(this.#location, id);
  }

  importFrom(text: string): Promise<string> {
    return withUserErrors(() => importText(this.#location, text));
  }

  prune(retention: Retention): Promise<number> {
    return withUserErrors(() => pruneSessions(this.#location, retention));
  }

  deleteAll(): Promise<void> {
    return withUserErrors(async () => {
      for (const writer of [...this.#writers.values()]) await writer.close();
      removeForGood(this.#location);
    });
  }

  async #lock(id: string): Promise<LockOutcome> {
    for (let waitedMs = 0; ; waitedMs += lockPollMs) {
      const outcome = this.#tryLock(id);
      const isSettled = outcome.isOurs || outcome.problem !== undefined || this.#writers.has(id);
      if (isSettled || waitedMs >= this.#patienceMs) return outcome;
      await setTimeout(lockPollMs);
    }
  }

  /** On a full disk a session goes on without a lock: no other window has it. Where that is not known, it is only read. */
  #tryLock(id: string): LockOutcome {
    try {
      const lock = lockOf(this.#location, id);
      return lock === undefined ? { isOurs: false } : { lock, isOurs: true };
    } catch (error) {
      if (!isFileSystemError(error)) throw error;
      return { isOurs: isFull(error), problem: writingProblem(error) };
    }
  }

  #write(id: string, options: Pick<WriterOptions, "lock" | "written">): SessionAppender {
    const { files, now } = this.#location;
    const writer = new SessionFileWriter({
      ...options,
      ...{ id, files, now, path: sessionPath(this.#location, id) },
      onTrouble: (error) => this.#onTrouble(writingProblem(error)),
      onRewritten: () => this.#onTrouble(rewrittenText(), id),
      onClose: () => this.#writers.delete(id),
      ...(this.#later !== undefined && { later: this.#later }),
      ...(this.#snapshotEvery !== undefined && { snapshotEvery: this.#snapshotEvery }),
    });
    this.#writers.set(id, writer);
    return writer;
  }
}

function inAnotherWindow(): UserError {
  return new UserError(t("This chat is open in another window. Close it there first."));
}
