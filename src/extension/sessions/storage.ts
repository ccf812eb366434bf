import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import type { AgentMessage } from "../../agent/types.ts";
import { UserError } from "../userError.ts";
import { earlierIn, nothingEarlier } from "./earlier.ts";
import { diskFiles, type Files } from "./files.ts";
import type { Lock } from "./lock.ts";
import { mend } from "./mend.ts";
import { type PageLimits, pageLimits } from "./pages.ts";
import { idsIn, isWrittenElsewhere, lockOf, type Place, pathOf, withFile } from "./place.ts";
import { writingProblem } from "./problems.ts";
import { ownIdentity, type ProcessIdentity } from "./processIdentity.ts";
import { readMessages } from "./readEntries.ts";
import { readPage } from "./readPage.ts";
import type { Head } from "./records.ts";
import { putAside, removeForGood, takeBack } from "./removed.ts";
import { lastAgentSeqIn, summarize, type WholeFile } from "./searchFile.ts";
import type { SessionCursor, SessionStorage, SessionSummary, SessionWriter, StoredSession } from "./session.ts";
import { findStanding, standingNumbers } from "./standing.ts";
import { copySession, exportText, importText } from "./transfer.ts";
import { SessionFileWriter, type WriterOptions } from "./writer.ts";

export interface SessionStorageOptions {
  /** A folder for the sessions of one workspace; it is made when it is needed. */
  folder: string;
  /** A warning for the user: a sentence, once until what failed works again. */
  onTrouble(message: string): void;
  files?: Files;
  now?(): number;
  newId?(): string;
  owner?(): ProcessIdentity;
  page?: PageLimits;
}

export function openSessionStorage(options: SessionStorageOptions): SessionStorage {
  return new SessionFolder(options);
}

class SessionFolder implements SessionStorage {
  readonly #place: Place;
  readonly #page: PageLimits;
  readonly #onTrouble: (message: string) => void;
  readonly #writers = new Map<string, SessionFileWriter>();

  constructor(options: SessionStorageOptions) {
    const { folder, files = diskFiles, now = Date.now, newId = randomUUID, owner = ownIdentity } = options;
    this.#place = { folder, files, now, newId, owner };
    this.#page = options.page ?? pageLimits;
    this.#onTrouble = options.onTrouble;
  }

  async list(): Promise<SessionSummary[]> {
    const summaries: SessionSummary[] = [];
    for (const id of idsIn(this.#place)) {
      const summary = await withFile(this.#place, id, async (whole) =>
        whole.lastSeq > 0 ? this.#summary(id, whole) : undefined,
      );
      if (summary !== undefined) summaries.push(summary);
    }
    return summaries.sort((a, b) => b.updatedAt - a.updatedAt);
  }

  async create(id: string): Promise<SessionWriter> {
    const written = { size: 0, spent: { tokens: 0, cost: 0 }, lastSeq: 0 };
    return this.#write(id, { lock: () => lockOf(this.#place, id), written, earlier: nothingEarlier });
  }

  async open(id: string): Promise<StoredSession> {
    const lock = lockOf(this.#place, id);
    try {
      return await withFile(this.#place, id, async (whole) => {
        const problems = mend(this.#place, id, whole, lock !== undefined);
        const { entries, carried, earlier } = await readPage(whole, this.#page);
        const summary = await this.#summary(id, whole, lock);
        const lastAgentSeq = await lastAgentSeqIn(whole);
        const session: StoredSession = { summary, entries, carried, lastSeq: whole.lastSeq, lastAgentSeq, problems };
        if (earlier !== undefined) session.earlier = earlier;
        if (lock !== undefined) session.writer = this.#writeOn(id, whole, lock);
        return session;
      });
    } catch (error) {
      lock?.release();
      throw error;
    }
  }

  readEarlier(id: string, cursor: SessionCursor) {
    return withFile(this.#place, id, (whole) => readPage(whole, this.#page, cursor));
  }

  messagesOf(id: string, agentId: string): Promise<AgentMessage[]> {
    const isOwn = ({ of }: Head) => of === agentId;
    const read = async (whole: WholeFile) => {
      const standing = (await findStanding(whole.file, whole.lines, ({ head }) => isOwn(head))).get(agentId);
      if (standing === undefined) return [];
      const messages = await readMessages(whole, agentId, standing);
      return standingNumbers(standing).flatMap((number) => messages.get(number) ?? []);
    };
    return withFile(this.#place, id, read, isOwn);
  }

  async rename(id: string, title: string): Promise<void> {
    const own = this.#writers.get(id);
    if (own !== undefined) return own.rename(title);
    const { writer } = await this.open(id);
    if (writer === undefined) throw inAnotherWindow();
    this.#writers.get(id)?.rename(title);
    await writer.close();
  }

  async remove(id: string): Promise<void> {
    await this.#release(id);
    putAside(this.#place, id);
  }

  async restore(id: string): Promise<void> {
    takeBack(this.#place, id);
  }

  fork(id: string, beforeSeq?: number): Promise<string> {
    return copySession(this.#place, id, beforeSeq);
  }

  exportJson(id: string): Promise<string> {
    return exportText(this.#place, id);
  }

  importFrom(text: string): Promise<string> {
    return importText(this.#place, text);
  }

  async deleteAll(): Promise<void> {
    for (const writer of [...this.#writers.values()]) await writer.close();
    removeForGood(this.#place);
  }

  #writeOn(id: string, whole: WholeFile, lock: Lock): SessionWriter {
    const { spent, lastSeq, end } = whole;
    return this.#write(id, { lock, written: { size: end, spent, lastSeq }, earlier: earlierIn(whole) });
  }

  #write(id: string, options: Pick<WriterOptions, "lock" | "written" | "earlier">): SessionWriter {
    const { files, now } = this.#place;
    const writer = new SessionFileWriter({
      ...options,
      ...{ id, files, now, path: pathOf(this.#place, id) },
      onTrouble: (error) => this.#onTrouble(writingProblem(error)),
      onClose: () => this.#writers.delete(id),
    });
    this.#writers.set(id, writer);
    return writer;
  }

  /** One that is being written is not interrupted, though its last run has no end yet. */
  async #summary(id: string, whole: WholeFile, own?: Lock): Promise<SessionSummary> {
    const summary = await summarize(id, whole);
    const isLive = summary.isInterrupted && own === undefined && isWrittenElsewhere(this.#place, id);
    return isLive ? { ...summary, isInterrupted: false } : summary;
  }

  async #release(id: string): Promise<void> {
    await this.#writers.get(id)?.close();
    if (isWrittenElsewhere(this.#place, id)) throw inAnotherWindow();
  }
}

function inAnotherWindow(): UserError {
  return new UserError(t("This chat is open in another window. Close it there first."));
}
