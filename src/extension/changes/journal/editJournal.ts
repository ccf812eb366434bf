import type { WriteAhead } from "../acceptHunks.ts";
import { type Author, type OpenProposal, proposersOf, type TrackedFile, type WrittenHunk } from "../model/change.ts";
import type { ExactHunk } from "../model/diffLines.ts";
import type { PlannedWrite } from "../model/fitHunks.ts";
import { identity } from "../model/scope.ts";
import { liveText, untouched, withHunk } from "../model/trackedLines.ts";
import { typeInto } from "../model/typeInto.ts";
import { undoHunks } from "../model/undoHunks.ts";
import { type CallOrigin, type CallRecord, type FinishedCall, formatCall, type JournaledCall } from "./callRecord.ts";

/** Where the journal is stored. What it gives may be old, but never half written. */
export interface JournalStorage {
  chats(): Promise<string[]>;
  read(chatId: string): Promise<CallRecord[]>;
  /** All or nothing. */
  write(chatId: string, id: string, json: string): Promise<void>;
  remove(chatId: string, id: string): Promise<void>;
  /** Removes what is stored of a chat, unless something was written since that time, in milliseconds since 1970. */
  removeOld(chatId: string, since: number): Promise<void>;
}

interface Entry {
  call: JournaledCall;
  /** The proposal as it is now, as long as it is open. */
  current(): OpenProposal | undefined;
  /** Calls of its proposers that gave their results. */
  ended: Set<string>;
  saving: Promise<void>;
  isSaveDue: boolean;
  /** As it is stored. */
  stored?: string;
}

/**
 * Edits of calls that have no result yet, kept so that a window which ends in the middle leaves no doubt: what was
 * proposed, what was answered, what is written, and what was about to be.
 */
export class EditJournal implements WriteAhead {
  readonly #storage: JournalStorage;
  readonly #onError: (error: unknown) => void;
  readonly #entries = new Map<string, Entry>();
  readonly #finished = new Map<string, FinishedCall>();
  #isTroubled = false;

  constructor(storage: JournalStorage, onError: (error: unknown) => void) {
    this.#storage = storage;
    this.#onError = onError;
  }

  /** Chats of which something is stored. */
  chats(): Promise<string[]> {
    return this.#storage.chats();
  }

  /** What an earlier window left of a chat's calls. To be asked for only by who has the chat's session. */
  async left(chatId: string): Promise<CallRecord[]> {
    const records = await this.#storage.read(chatId);
    return records.filter(({ id }) => !this.#entries.has(id) && !this.#finished.has(id));
  }

  /** Of a chat that is not there any more: removed when nothing was written since that time. */
  removeOld(chatId: string, since: number): Promise<void> {
    return this.#storage.removeOld(chatId, since);
  }

  /** Stores a proposal from now on. Resolves when it is stored, or can't be. */
  open(origin: CallOrigin, opened: OpenProposal, current: () => OpenProposal | undefined): Promise<void> {
    const { id, proposal, same, files, hunkCount } = opened;
    const none = { written: [], writing: [], isHandedOver: false, answers: {} };
    return this.adopt({ ...origin, id, proposal, same, files, hunkCount, ...none }, current);
  }

  /** The same for one that an earlier window left. */
  async adopt(call: JournaledCall, current: () => OpenProposal | undefined): Promise<void> {
    this.#entries.set(call.id, { call, current, ended: new Set(), saving: Promise.resolve(), isSaveDue: false });
    await this.save([call.id]);
  }

  /** Finished calls of sub-agents that an earlier window left, until their root's call ends. */
  adoptFinished(call: FinishedCall): void {
    this.#finished.set(call.id, call);
  }

  /** What is known of a call. */
  find(id: string): JournaledCall | undefined {
    const entry = this.#entries.get(id);
    return entry && callNow(entry);
  }

  /** Resolves when these are stored as they are now. */
  async save(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.flatMap((id) => this.#entries.get(id) ?? []).map((entry) => this.#save(entry)));
  }

  /** The proposal is closed: its answers stay as they are. */
  settle(proposal: OpenProposal): void {
    const entry = this.#entries.get(proposal.id);
    if (entry === undefined) return;
    entry.call = callNow({ ...entry, current: () => proposal });
    entry.current = () => undefined;
    void this.#save(entry);
  }

  /** The user's answer to written hunks of an earlier window's call. */
  async answer(id: string, answers: JournaledCall["answers"]): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.call = { ...callNow(entry), answers: { ...entry.call.answers, ...answers } };
    await this.#save(entry);
  }

  /** The pending edits are stored elsewhere, with what a call has written. */
  async handOver(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.call = { ...callNow(entry), isHandedOver: true };
    await this.#save(entry);
  }

  /** A call of the chat has its result, so the model knows of it; a sub-agent's is stored for the root agent's call. */
  finish(chatId: string, ended: EndedCall): void {
    const { callId, isRoot } = ended;
    const open = [...this.#entries.values()].map(({ call }) => call);
    if (isRoot) {
      const done = [...open, ...this.#finished.values()].filter((call) => call.chatId === chatId);
      for (const { id, rootCallId } of done) if (rootCallId === callId) this.forget(id);
      return;
    }
    for (const entry of this.#entries.values()) {
      const at = proposersIn(entry).findIndex((proposal) => proposal.callId === callId);
      if (entry.call.chatId === chatId && at >= 0) this.#finishOne(entry, at, ended);
    }
  }

  /** `chatId` is for one that was never adopted. */
  forget(id: string, chatId = this.#entries.get(id)?.call.chatId ?? this.#finished.get(id)?.chatId): void {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    this.#finished.delete(id);
    if (chatId !== undefined)
      void this.#tried((entry?.saving ?? Promise.resolve()).then(() => this.#storage.remove(chatId, id)));
  }

  /** What is stored of the chat stays as it is: its agents are about to be cut off, which answers nothing. */
  release(chatId: string): void {
    for (const [id, { call }] of this.#entries) if (call.chatId === chatId) this.#entries.delete(id);
    for (const [id, call] of this.#finished) if (call.chatId === chatId) this.#finished.delete(id);
  }

  async begin(write: PlannedWrite): Promise<void> {
    await this.#change(write, (call, own) => {
      const known = call.written.find(({ path }) => path === write.path);
      const file = withWrite(known, own);
      const written = [...call.written.filter((each) => each !== known && each.path !== file.path), file];
      return { ...call, written, writing: own.hunks.map(({ id }) => id) };
    });
  }

  async end(write: PlannedWrite, text?: string): Promise<void> {
    await this.#change(write, (call) => {
      const written = call.written.map((file) =>
        file.path === pathAfter(write) && text !== undefined && liveText(file) !== text ? typeInto(file, text) : file,
      );
      return { ...call, written, writing: [] };
    });
  }

  async fail(write: PlannedWrite): Promise<void> {
    await this.#change(write, (call) => ({ ...call, written: withoutWriting(call), writing: [] }));
  }

  /** A sub-agent's call: its result takes the place of what is stored of it. */
  #finishOne(entry: Entry, at: number, { callId, toolName, result }: EndedCall): void {
    const { id, chatId, rootCallId } = entry.call;
    const proposers = proposersIn(entry);
    const agentPath = proposers[at]?.agentPath ?? [];
    const finished: FinishedCall = { id: `${id}.${at}`, chatId, rootCallId, callId, toolName, agentPath, result };
    this.#finished.set(finished.id, finished);
    entry.ended.add(callId);
    const isOver = proposers.every((proposal) => entry.ended.has(proposal.callId));
    const saved = this.#tried(this.#storage.write(chatId, finished.id, formatCall({ kind: "finished", ...finished })));
    if (isOver) void saved.then(() => this.forget(id));
  }

  async #change(write: PlannedWrite, change: (call: JournaledCall, own: OwnWrite) => JournaledCall): Promise<void> {
    const saves: Promise<void>[] = [];
    for (const entry of this.#entries.values()) {
      const hunks = ownHunks(entry, write);
      if (hunks.length === 0) continue;
      const { id, agentIds, proposal } = entry.call;
      const author: Author = { agentIds, agentPath: proposal.agentPath, editId: id };
      entry.call = change(callNow(entry), { write, author, hunks });
      saves.push(this.#save(entry));
    }
    await Promise.all(saves);
  }

  /** Changes that come while a save is under way lead to a single further one. */
  #save(entry: Entry): Promise<void> {
    if (entry.isSaveDue) return entry.saving;
    entry.isSaveDue = true;
    entry.saving = entry.saving.then(() => {
      entry.isSaveDue = false;
      const { id, chatId } = entry.call;
      if (this.#entries.get(id) !== entry) return;
      const json = formatCall({ kind: "open", ...callNow(entry) });
      // Each write is flushed to the disk, which takes longer than all else here.
      if (json === entry.stored) return;
      const store = async () => {
        await this.#storage.write(chatId, id, json);
        entry.stored = json;
      };
      return this.#tried(store());
    });
    return entry.saving;
  }

  /** What can't be stored stops nothing: it is shown once, until it can be again. */
  async #tried(work: Promise<void>): Promise<void> {
    try {
      await work;
      this.#isTroubled = false;
    } catch (error) {
      if (!this.#isTroubled) this.#onError(error);
      this.#isTroubled = true;
    }
  }
}

/** A call that gave its result. */
interface EndedCall {
  callId: string;
  toolName: string;
  /** What the model was given. */
  result: string;
  /** It is the root agent's. */
  isRoot: boolean;
}

function callNow({ call, current }: Pick<Entry, "call" | "current">): JournaledCall {
  const open = current();
  if (open === undefined) return call;
  const { proposal, same, files, hunkCount } = open;
  return { ...call, proposal, same, files, hunkCount };
}

function proposersIn(entry: Entry) {
  return proposersOf(callNow(entry));
}

/** The call's own hunks that a write writes: those with the same id, or the same in all else. */
function ownHunks(entry: Entry, { path, hunks, hunkIds }: PlannedWrite): OwnWrite["hunks"] {
  const file = callNow(entry).files.find((each) => each.path === path);
  const own = (file?.hunks ?? []).filter(({ id }) => hunkIds.has(id));
  return hunks.flatMap(({ hunk, placed }) => {
    const same = own.find((each) => each.id === hunk.id || identity(each) === identity(hunk));
    return same === undefined ? [] : [{ id: same.id, placed }];
  });
}

function withoutWriting({ written, writing }: JournaledCall): TrackedFile[] {
  return written.flatMap((file) => {
    if (!file.hunks.some(({ id }) => writing.includes(id))) return [file];
    const movedFrom = file.hunks.find(({ id, kind }) => kind === "move" && writing.includes(id))?.movedFrom;
    const undone = undoHunks(file, ({ id }) => writing.includes(id)).file;
    return undone.hunks.length === 0 ? [] : [{ ...undone, path: movedFrom ?? undone.path }];
  });
}

/** Hunks of one record's own that a write writes. */
interface OwnWrite {
  write: PlannedWrite;
  author: Author;
  hunks: readonly { id: string; placed: ExactHunk }[];
}

/** Where the file is once it is written. */
function pathAfter({ path, movedTo }: Pick<PlannedWrite, "path" | "movedTo">): string {
  return movedTo ?? path;
}

/** What a record has of a file, once the write has happened. */
function withWrite(known: TrackedFile | undefined, { write, author, hunks }: OwnWrite): TrackedFile {
  const { before, languageId, kind, path, movedTo } = write;
  const base = known ?? untouched(path, languageId, before);
  const current = liveText(base) === before ? base : typeInto(base, before);
  const applied = hunks.map(
    ({ id, placed }): WrittenHunk => ({
      ...{ id, author, kind, hunk: placed },
      ...(movedTo === undefined ? {} : { movedFrom: path }),
    }),
  );
  const lines = hunks.toReversed().reduce((result, { id, placed }) => withHunk(result, id, placed), current.lines);
  return { ...current, path: pathAfter(write), lines, hunks: [...current.hunks, ...applied] };
}
