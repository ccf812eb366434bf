import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { t } from "@vscode/l10n";
import type { AgentMessage } from "../../agent/types.ts";
import { diskFiles, type Files, isFileSystemError, type OpenFile } from "../common/files.ts";
import type { Lock } from "../common/lock.ts";
import { ownIdentity, type ProcessIdentity } from "../common/processIdentity.ts";
import { UserError } from "../common/userError.ts";
import { currentNumbers, findCurrentMessages, nothingWritten, writtenIn } from "./currentMessages.ts";
import type { Unfinished } from "./growing.ts";
import { listSessions, live, pruneSessions, stateOf } from "./listSessions.ts";
import { type PageLimits, pageLimits, readPage } from "./pages.ts";
import { type NewEntries, readMessages, readNew } from "./readEntries.ts";
import type { Head } from "./records.ts";
import { fileOf, isSetAside, putAside, removeForGood, takeBack } from "./removed.ts";
import { isFull, repair, rewrittenWords, withUserErrors, writingProblem } from "./repair.ts";
import { readUnfinished, searchFile, summarize, type WholeFile } from "./searchFile.ts";
import type {
  Retention,
  SessionAppender,
  SessionCursor,
  SessionStorage,
  SessionSummary,
  StoredSession,
} from "./session.ts";
import {
  isWrittenElsewhere,
  lockOf,
  type SessionLocation,
  sessionPath,
  withFile,
  withOpenFile,
} from "./sessionFolder.ts";
import { copySession, exportText, importText } from "./transfer.ts";
import { type Later, SessionFileWriter, type WriterOptions } from "./writer.ts";

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
   * How long `open` waits for another process to let go of a session before it only reads it. When a window is reloaded,
   * its next process may come before the last one has gone.
   */
  patienceMs?: number;
  page?: PageLimits;
  /** When what grows is written: a little later. */
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
  readonly #place: SessionLocation;
  readonly #page: PageLimits;
  readonly #patienceMs: number;
  readonly #onTrouble: (message: string, id?: string) => void;
  readonly #later: Later | undefined;
  readonly #writers = new Map<string, SessionFileWriter>();
  /** Where the records are in the file that is read page by page. */
  #paged: { id: string; whole: WholeFile } | undefined;

  constructor(options: SessionStorageOptions) {
    const { folder, files = diskFiles, now = Date.now, newId = randomUUID } = options;
    let { owner } = options;
    this.#place = { folder, files, now, newId, owner: () => (owner ??= ownIdentity()), abandoned: new Set() };
    this.#page = options.page ?? pageLimits;
    this.#patienceMs = options.patienceMs ?? 0;
    this.#onTrouble = options.onTrouble;
    this.#later = options.later;
  }

  list(): Promise<SessionSummary[]> {
    return withUserErrors(() => listSessions(this.#place));
  }

  state(): string {
    return stateOf(this.#place);
  }

  async create(id: string): Promise<SessionAppender> {
    const lock = () => {
      const own = lockOf(this.#place, id);
      if (own === undefined) throw inAnotherWindow();
      return own;
    };
    return this.#write(id, { lock, written: nothingWritten });
  }

  async open(id: string): Promise<StoredSession> {
    const { lock, isOurs, problem } = await this.#lock(id);
    try {
      return await withFile(this.#place, id, async (whole) => {
        const problems = [...(problem === undefined ? [] : [problem]), ...repair(this.#place, id, whole, isOurs)];
        const { entries, stateEntries, earlier } = await readPage(whole, this.#page);
        const stored = await summarize(id, whole);
        const summary = isOurs ? stored : live(this.#place, stored);
        const { lastSeq, end } = whole;
        const unfinished = await readUnfinished(whole);
        const session: StoredSession = { summary, entries, stateEntries, lastSeq, unfinished, end, problems };
        if (earlier !== undefined) {
          session.earlier = earlier;
          this.#paged = { id, whole };
        }
        if (isOurs)
          session.writer = this.#write(id, { written: writtenIn(whole), ...(lock !== undefined && { lock }) });
        return session;
      });
    } catch (error) {
      lock?.release();
      throw error;
    }
  }

  readEarlier(id: string, cursor: SessionCursor) {
    return withOpenFile(this.#place, id, async (file) => {
      const whole = (await this.#knownWhole(id, file)) ?? (await searchFile(file));
      const page = await readPage(whole, this.#page, cursor);
      this.#paged = page.earlier && { id, whole };
      return page;
    });
  }

  readNew(id: string, from: number): Promise<NewEntries> {
    return withOpenFile(this.#place, id, async (file) => {
      // Asked first: what a process wrote before it let go is read with the rest.
      const isLive = isWrittenElsewhere(this.#place, id);
      return { ...(await readNew(file, from)), isLive };
    });
  }

  readUnfinished(id: string): Promise<Unfinished[]> {
    return withFile(this.#place, id, readUnfinished);
  }

  messagesOf(id: string, agentId: string, beforeSeq = Number.POSITIVE_INFINITY): Promise<AgentMessage[]> {
    const isOwn = ({ of, seq }: Head) => of === agentId && seq < beforeSeq;
    // Records of the root agent's may have another id.
    const isWanted = ({ of, seq, depth }: Head) => (of === agentId || depth === 0) && seq < beforeSeq;
    const read = async (whole: WholeFile) => {
      const current = (await findCurrentMessages(whole.file, whole.lines, ({ head }) => isOwn(head))).get(agentId);
      if (current === undefined) return [];
      const messages = await readMessages(whole, agentId, current);
      return currentNumbers(current).flatMap((number) => messages.get(number) ?? []);
    };
    return withOpenFile(this.#place, id, async (file) => {
      const known = beforeSeq === Number.POSITIVE_INFINITY ? await this.#knownWhole(id, file) : undefined;
      // Of other agents its lines were not kept.
      return read(known?.currentByAgent.has(agentId) === true ? known : await searchFile(file, isWanted));
    });
  }

  /** The file that is being paged, as far as it was searched; undefined when it has changed since. */
  async #knownWhole(id: string, file: OpenFile): Promise<WholeFile | undefined> {
    if (this.#paged?.id !== id || this.#paged.whole.size !== (await file.size())) return undefined;
    return { ...this.#paged.whole, file };
  }

  fileOf(id: string): string {
    return fileOf(this.#place, id);
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
      if (!isSetAside(id) && isWrittenElsewhere(this.#place, id)) throw inAnotherWindow();
      putAside(this.#place, id);
    });
  }

  restore(id: string): Promise<void> {
    return withUserErrors(() => takeBack(this.#place, id));
  }

  fork(id: string, beforeSeq?: number): Promise<string> {
    return withUserErrors(() => copySession(this.#place, id, beforeSeq));
  }

  exportJson(id: string): Promise<string> {
    return exportText(this.#place, id);
  }

  importFrom(text: string): Promise<string> {
    return withUserErrors(() => importText(this.#place, text));
  }

  prune(retention: Retention): Promise<number> {
    return withUserErrors(() => pruneSessions(this.#place, retention));
  }

  deleteAll(): Promise<void> {
    return withUserErrors(async () => {
      for (const writer of [...this.#writers.values()]) await writer.close();
      removeForGood(this.#place);
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

  /** On a full disk a session goes on without a lock: nobody else has it. Where that is not known, it is only read. */
  #tryLock(id: string): LockOutcome {
    try {
      const lock = lockOf(this.#place, id);
      return lock === undefined ? { isOurs: false } : { lock, isOurs: true };
    } catch (error) {
      if (!isFileSystemError(error)) throw error;
      return { isOurs: isFull(error), problem: writingProblem(error) };
    }
  }

  #write(id: string, options: Pick<WriterOptions, "lock" | "written">): SessionAppender {
    const { files, now } = this.#place;
    const writer = new SessionFileWriter({
      ...options,
      ...{ id, files, now, path: sessionPath(this.#place, id) },
      onTrouble: (error) => this.#onTrouble(writingProblem(error)),
      onRewritten: () => this.#onTrouble(rewrittenWords(), id),
      onClose: () => this.#writers.delete(id),
      ...(this.#later !== undefined && { later: this.#later }),
    });
    this.#writers.set(id, writer);
    return writer;
  }
}

function inAnotherWindow(): UserError {
  return new UserError(t("This chat is open in another window. Close it there first."));
}
