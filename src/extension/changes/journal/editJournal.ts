import { type Author, type OpenProposal, proposersOf, type WrittenFile } from "../model/change.ts";
import { identity } from "../model/scope.ts";
import { textOf } from "../model/trackedLines.ts";
import { typeInto } from "../model/trackText.ts";
import { undoHunks } from "../model/undoHunks.ts";
import { type CallOrigin, type CallRecord, type FinishedCall, formatCall, type OpenCall } from "./callRecord.ts";
import { type OwnWrite, type PlannedWrite, pathAfter, type WriteAhead, withWrite } from "./plannedWrite.ts";

/** Where the journal is kept. What it gives may be old, but never half written. */
export interface JournalStorage {
  chats(): Promise<string[]>;
  read(chatId: string): Promise<CallRecord[]>;
  /** All or nothing. */
  write(chatId: string, id: string, json: string): Promise<void>;
  remove(chatId: string, id: string): Promise<void>;
  /** What is kept of a chat, unless something was written since that time, in milliseconds since 1970. */
  removeOld(chatId: string, since: number): Promise<void>;
}

interface Entry {
  call: OpenCall;
  /** The proposal as it is now, as long as it is open. */
  current(): OpenProposal | undefined;
  /** Calls of its proposers that gave their results. */
  ended: Set<string>;
  saving: Promise<void>;
  isSaveDue: boolean;
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

  /** Chats of which something is kept. */
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

  /** Keeps a proposal from now on. Resolves when it is kept, or can't be. */
  open(origin: CallOrigin, opened: OpenProposal, current: () => OpenProposal | undefined): Promise<void> {
    const { id, proposal, same, files, hunkCount } = opened;
    const none = { written: [], writing: [], isHandedOver: false, answers: {} };
    return this.adopt({ ...origin, id, proposal, same, files, hunkCount, ...none }, current);
  }

  /** The same for one that an earlier window left. */
  async adopt(call: OpenCall, current: () => OpenProposal | undefined): Promise<void> {
    this.#entries.set(call.id, { call, current, ended: new Set(), saving: Promise.resolve(), isSaveDue: false });
    await this.save([call.id]);
  }

  /** Finished calls of sub-agents that an earlier window left, until their root's call ends. */
  adoptFinished(call: FinishedCall): void {
    this.#finished.set(call.id, call);
  }

  /** What is known of a call. */
  find(id: string): OpenCall | undefined {
    const entry = this.#entries.get(id);
    return entry && callNow(entry);
  }

  /** Resolves when these are kept as they are now. */
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
  async answer(id: string, answers: OpenCall["answers"]): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.call = { ...callNow(entry), answers: { ...entry.call.answers, ...answers } };
    await this.#save(entry);
  }

  /** The pending edits are kept elsewhere, with what a call has written. */
  async handOver(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.call = { ...callNow(entry), isHandedOver: true };
    await this.#save(entry);
  }

  /** A call of the chat has its result, so the model knows of it; a sub-agent's is kept for the root agent's call. */
  finish(chatId: string, ended: EndedCall): void {
    const { callId, isRoot } = ended;
    const kept = [...this.#entries.values()].map(({ call }) => call);
    if (isRoot) {
      const done = [...kept, ...this.#finished.values()].filter((call) => call.chatId === chatId);
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

  /** What is kept of the chat stays as it is: its agents are about to be cut off, which answers nothing. */
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
        file.path === pathAfter(write) && text !== undefined && textOf(file) !== text ? typeInto(file, text) : file,
      );
      return { ...call, written, writing: [] };
    });
  }

  async fail(write: PlannedWrite): Promise<void> {
    await this.#change(write, (call) => ({ ...call, written: withoutWriting(call), writing: [] }));
  }

  /** A sub-agent's call: what it said takes the place of what is kept of it. */
  #finishOne(entry: Entry, at: number, { callId, toolName, result }: EndedCall): void {
    const { id, chatId, rootCallId } = entry.call;
    const proposers = proposersIn(entry);
    const agentPath = proposers[at]?.agentPath ?? [];
    const finished: FinishedCall = { id: `${id}.${at}`, chatId, rootCallId, callId, toolName, agentPath, result };
    this.#finished.set(finished.id, finished);
    entry.ended.add(callId);
    const isOver = proposers.every((proposal) => entry.ended.has(proposal.callId));
    const kept = this.#tried(this.#storage.write(chatId, finished.id, formatCall({ kind: "finished", ...finished })));
    if (isOver) void kept.then(() => this.forget(id));
  }

  async #change(write: PlannedWrite, change: (call: OpenCall, own: OwnWrite) => OpenCall): Promise<void> {
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
      return this.#tried(this.#storage.write(chatId, id, formatCall({ kind: "open", ...callNow(entry) })));
    });
    return entry.saving;
  }

  /** What can't be kept stops nobody: it is told once, until it can be again. */
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
export interface EndedCall {
  callId: string;
  toolName: string;
  /** What the model was told. */
  result: string;
  /** It is the root agent's. */
  isRoot: boolean;
}

function callNow({ call, current }: Pick<Entry, "call" | "current">): OpenCall {
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

function withoutWriting({ written, writing }: OpenCall): WrittenFile[] {
  return written.flatMap((file) => {
    if (!file.hunks.some(({ id }) => writing.includes(id))) return [file];
    const movedFrom = file.hunks.find(({ id, kind }) => kind === "move" && writing.includes(id))?.movedFrom;
    const undone = undoHunks(file, ({ id }) => writing.includes(id)).file;
    return undone.hunks.length === 0 ? [] : [{ ...undone, path: movedFrom ?? undone.path }];
  });
}
