import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentMessage } from "../../../../src/agent/types.ts";
import type { PersistedEdits } from "../../../../src/extension/changes/persistedEdits.ts";
import { PendingEditsFile } from "../../../../src/extension/changes/persistedEdits.ts";
import { Checkpoints } from "../../../../src/extension/changes/rewind/checkpoints.ts";
import { Rewinds } from "../../../../src/extension/changes/rewind/rewinds.ts";
import type { CheckpointStorage } from "../../../../src/extension/changes/rewind/storage.ts";
import { UndoneEditsFile } from "../../../../src/extension/changes/undoneEditsFile.ts";
import { agentAfter } from "../../../../src/extension/chat/agents/rootAgent.ts";
import type { Chat } from "../../../../src/extension/chat/chat.ts";
import { Chats } from "../../../../src/extension/chat/chats.ts";
import { runNotice } from "../../../../src/extension/chat/notices.ts";
import { takenMessages } from "../../../../src/extension/chat/restore/openSession.ts";
import { openSessionStorage } from "../../../../src/extension/sessions/storage.ts";
import { type Script, scriptedModel, text } from "../../../support/scriptedModel.ts";
import { applying } from "./applying.ts";
import { imagedTexts, memoryStorage } from "./checkpointing.ts";
import { TextWorkspace } from "./textWorkspace.ts";

/** All that a window leaves when its process is killed. */
export interface Kept {
  files: Record<string, string>;
  index: string | undefined;
  blobs: ReadonlyMap<string, Uint8Array>;
  pending: string | undefined;
  undone: string | undefined;
  /** By file name. */
  sessions: ReadonlyMap<string, Buffer>;
}

export function keptFiles(files: Record<string, string>): Kept {
  const none = { index: undefined, pending: undefined, undone: undefined };
  return { ...none, files, blobs: new Map(), sessions: new Map() };
}

/**
 * A window that goes on with what another one left: chat, files, checkpoints and edits. `taken` is called after each
 * lasting step. Where it was open before the other one ended, it has loaded its edits beside `filesThen`.
 */
export async function windowOn(
  kept: Kept,
  taken: (keep: () => Kept) => void = () => {},
  filesThen: Record<string, string> = kept.files,
) {
  const onStep = () => taken(keep);
  const folder = mkdtempSync(join(tmpdir(), "arbor-"));
  for (const [name, bytes] of kept.sessions) writeFileSync(join(folder, name), bytes);
  const session = applying({}, new SteppingTexts(filesThen, () => onStep()));
  const { workspace, store, reviews } = session;
  const memory = memoryStorage();
  memory.state.index = kept.index;
  for (const [name, bytes] of kept.blobs) memory.blobs.set(name, bytes);
  const storage: CheckpointStorage = {
    ...memory.storage,
    writeBlob: async (...args) => memory.storage.writeBlob(...args).then(() => onStep()),
    writeIndex: async (...args) => memory.storage.writeIndex(...args).then(() => onStep()),
  };
  const saved = { pending: kept.pending, undone: kept.undone };
  const edits = (of: keyof typeof saved): PersistedEdits => ({
    read: async () => saved[of],
    write: async (json) => {
      // What waits is saved last, if no one waits for it.
      if (of === "pending") await new Promise((resolve) => setImmediate(resolve));
      saved[of] = json;
      onStep();
    },
    setAside: async () => {
      throw new Error("What was saved can't be read.");
    },
  });
  function keep(): Kept {
    return {
      files: Object.fromEntries(workspace.files),
      index: memory.state.index,
      blobs: new Map(memory.blobs),
      ...saved,
      sessions: new Map(sessionFiles(folder).map((name) => [name, readFileSync(join(folder, name))])),
    };
  }
  const problems: string[] = [];
  const warn = (message: unknown) => void problems.push(String(message));
  const checkpoints = new Checkpoints({ storage, files: imagedTexts(workspace), warn });
  const pending = new PendingEditsFile({
    ...{ store, saved: edits("pending"), onError: warn, typingRestsMs: 0 },
    currentTextOf: async (path) => workspace.files.get(path),
    onDropped: () => {},
  });
  const undone = new UndoneEditsFile({
    ...{ store, workspace, saved: edits("undone"), onError: warn },
    currentTextOf: async (path) => workspace.files.get(path),
    onceSaved: () => pending.flush(),
  });
  await pending.load();
  await undone.load();
  if (filesThen !== kept.files) {
    workspace.files.clear();
    for (const [path, contents] of Object.entries(kept.files)) workspace.files.set(path, contents);
  }
  session.saves.onceIntended = () => undone.flush();
  session.saves.onceSaved = async () => void (await pending.flush());

  const notes: string[][] = [];
  const conflicts: string[] = [];
  const asked: string[] = [];
  const rewinds = new Rewinds({
    checkpoints,
    applied: reviews,
    confirm: async ({ choices, detail }) => {
      asked.push(detail);
      return choices[0]?.what;
    },
    inTurn: (step) => step(),
    onFiles: async (_, __, paths) => void notes.push([...paths].toSorted()),
    onConflicts: async (found, branch) => void conflicts.push(...found.map(({ path }) => `${branch}: ${path}`)),
  });
  const sessions = openSessionStorage({ folder, onTrouble: warn });
  const { model, streamFn } = scriptedModel(answers);
  let adopted: Promise<void> = Promise.resolve();
  const chats = new Chats({
    sessions,
    createAgent: (of) => agentAfter(of.earlier, { name: "main", instructions: "Main.", model, streamFn }),
    configure: () => {},
    noticeFor: runNotice,
    onActivity: () => {},
    onOpen: (of, restored) => {
      const known = restored.rewinds.map((rewind) => ({ rewind, messages: () => takenMessages(sessions, of, rewind) }));
      of.log.onAppend(onStep);
      adopted = rewinds.adopt(known, of);
    },
    warn,
  });
  const [id] = (await sessions.list()).map((summary) => summary.id);
  const chat = id === undefined ? chats.create() : await chats.open(id);
  if (id === undefined) chat.log.onAppend(onStep);
  await adopted;
  /** An agent's write, as the workspace of the review makes it. */
  const write = async (path: string, change: () => Promise<unknown>, agents = ["main"]) => {
    await checkpoints.beforeChange([path], agents);
    await change();
    await checkpoints.afterChange([path]);
  };
  return {
    ...{ session, checkpoints, rewinds, chat, write, notes, conflicts, asked, problems },
    /** Ids of hunks that were undone and can be redone. */
    undone: () => store.undone.flat().flatMap((file) => file.undone.map((hunk) => hunk.id)),
    state: () => ({
      files: Object.fromEntries([...workspace.files].toSorted(([one], [other]) => (one < other ? -1 : 1))),
      said: messagesOf(chat).map(({ id: each }) => each),
      pending: store.files.flatMap(({ hunks }) => hunks.map((hunk) => hunk.id)).toSorted(),
      undoable: chat.host.undoableRewind,
    }),
    keep,
    flush: () => Promise.all([pending.flush(), undone.flush()]),
    async close() {
      await this.flush();
      await chats.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type KeptWindow = Awaited<ReturnType<typeof windowOn>>;

/** What a window leaves that is closed. */
export async function closed(window: KeptWindow) {
  await window.flush();
  const left = { kept: window.keep(), before: window.state() };
  assert.deepEqual(window.problems, []);
  await window.close();
  return left;
}

/** What each step of an action leaves where the process ends after it, in the order of the steps, and where none ends. */
export async function cutOffs(kept: Kept, act: (window: KeptWindow) => Promise<unknown>) {
  const left: Kept[] = [];
  let isActing = false;
  const window = await windowOn(kept, (keep) => {
    if (isActing) left.push(keep());
  });
  isActing = true;
  left.push(window.keep());
  await act(window);
  await window.flush();
  isActing = false;
  const { before: after } = await closed(window);
  return { left, after };
}

/** With what is left where the next window ends in the middle of its look at it, too. */
export async function withOpenings(left: readonly Kept[]): Promise<Kept[]> {
  const all: Kept[] = [];
  for (const each of left) {
    all.push(each);
    const window = await windowOn(each, (keep) => void all.push(keep()));
    await window.flush();
    await window.close();
  }
  return all;
}

const answers: Script = Array.from({ length: 20 }, (_, at) => text(`Answer ${at}.`));

function messagesOf(chat: Chat): readonly AgentMessage[] {
  return chat.transcriptOf(chat.rootId ?? "")?.messages ?? [];
}

/** Locks are of the process that is gone. */
function sessionFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
}

/** Texts whose every change is a step; a file is moved in one. */
class SteppingTexts extends TextWorkspace {
  #step = () => {};

  constructor(files: Record<string, string>, onStep: () => void) {
    super(files);
    this.#step = onStep;
    const remove = this.files.delete.bind(this.files);
    this.files.delete = (path) => {
      const isRemoved = remove(path);
      if (isRemoved) this.#step();
      return isRemoved;
    };
  }

  override type(path: string, written: string): void {
    super.type(path, written);
    // The constructor of the texts calls this before there is anything to call.
    if (#step in this) this.#step();
  }

  override async move(from: string, to: string) {
    const step = this.#step;
    this.#step = () => {};
    const moved = await super.move(from, to);
    this.#step = step;
    this.#step();
    return moved;
  }
}
