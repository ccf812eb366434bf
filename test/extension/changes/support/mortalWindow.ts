import { join } from "node:path";
import { ChatGrants } from "../../../../src/extension/approvals/chatGrants.ts";
import { ChangeStore } from "../../../../src/extension/changes/changeStore.ts";
import { journalOnDisk } from "../../../../src/extension/changes/journal/callRecord.ts";
import { EditJournal, type JournalStorage } from "../../../../src/extension/changes/journal/editJournal.ts";
import type { EditProposal, ProposedChange } from "../../../../src/extension/changes/model/change.ts";
import { editsOnDisk, PendingEditsFile } from "../../../../src/extension/changes/persistedEdits.ts";
import { ProposalReviews } from "../../../../src/extension/changes/proposalReviews.ts";
import { OpenEdits, type ReviewMode, reviewByMode } from "../../../../src/extension/changes/reviewByMode.ts";
import { WrittenReviews } from "../../../../src/extension/changes/writtenReviews.ts";
import { InterruptedEdits } from "../../../../src/extension/chat/restore/interruptedEdits.ts";
import type { DiskCalls } from "../../../../src/extension/common/atomicFile.ts";
import type { HostEvent } from "../../../../src/protocol/hostEvents.ts";
import { emptyHostState, reduceHost } from "../../../../src/protocol/hostState.ts";
import { TextWorkspace } from "./textWorkspace.ts";

export interface WindowOptions {
  /** The files of the storage folder, by path; outlives the window. */
  storage: Map<string, string>;
  /** Its own one among the storage folders; one alone by default. */
  folder?: string;
  /** Of the workspace, by path; outlives the window. */
  files: Map<string, string>;
  mode?: ReviewMode;
  /** After so many calls of a file system nothing happens any more, as if the process were killed. */
  diesAfter?: number;
  /** Writing to the storage fails. */
  failing?: Error;
}

const chatId = "chat";
const onlyFolder = "/storage";

/** A file system in memory, as far as the storage needs one. */
function memoryCalls(files: Map<string, string>) {
  const missing = (path: string) => Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" });
  return {
    access: async (path: string) => void (await readable(path)),
    mkdir: async (_path: string) => undefined,
    async readdir(path: string) {
      const inside = [...files.keys()].filter((file) => file.startsWith(`${path}/`));
      return [...new Set(inside.map((file) => file.slice(path.length + 1).split("/")[0] ?? ""))];
    },
    readFile: (path: string) => readable(path),
    async rename(from: string, to: string) {
      files.set(to, await readable(from));
      files.delete(from);
    },
    async rm(path: string) {
      for (const file of [...files.keys()]) if (file === path || file.startsWith(`${path}/`)) files.delete(file);
    },
    async writeFile(path: string, data: string) {
      files.set(path, data);
    },
  };

  async function readable(path: string): Promise<string> {
    const text = files.get(path);
    if (text === undefined) throw missing(path);
    return text;
  }
}

/** A window with everything that reviews edits, over a storage folder and files that outlive it. */
export async function openWindow(options: WindowOptions) {
  const { files, folder = onlyFolder, mode = "before", diesAfter = Number.POSITIVE_INFINITY, failing } = options;
  const death = Promise.withResolvers<"dead">();
  let steps = 0;
  let isOpen = false;
  const alive = async () => {
    if (isOpen) steps += 1;
    if (steps <= diesAfter) return;
    death.resolve("dead");
    await new Promise(() => {});
  };
  const mortal =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await alive();
      const result = await call(...args);
      await alive();
      return result;
    };
  const calls = memoryCalls(options.storage);
  const storage = {
    access: mortal(calls.access),
    mkdir: mortal(calls.mkdir),
    readdir: mortal(calls.readdir),
    readFile: mortal(calls.readFile),
    rename: mortal(calls.rename),
    rm: mortal(calls.rm),
    writeFile: mortal((path: string, data: string) =>
      failing ? Promise.reject(failing) : calls.writeFile(path, data),
    ),
    // These are all forms in which the storage is called; the types have many more.
  } as unknown as DiskCalls;
  const workspace = new TextWorkspace(Object.fromEntries(files));
  const write = <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    mortal(async (...args: Args) => {
      const result = await call(...args);
      files.clear();
      for (const [path, text] of workspace.files) files.set(path, text);
      return result;
    });
  workspace.replace = write(workspace.replace.bind(workspace));
  workspace.create = write(workspace.create.bind(workspace));
  workspace.remove = write(workspace.remove.bind(workspace));
  workspace.move = write(workspace.move.bind(workspace));

  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const journal = new EditJournal(journalOnDisk(join(folder, "journal"), storage), onError);
  const store = new ChangeStore();
  const newId = () => crypto.randomUUID();
  const reviews = new ProposalReviews({ store, workspace, isOpen: () => false, newId, journal, writeAhead: journal });
  const inTurn = <T>(step: () => Promise<T>) => reviews.inTurn(step);
  const onceSaved = () => saved.flush();
  const applied = new WrittenReviews({ store, workspace, inTurn, newId, journal, onceSaved });
  const saved = new PendingEditsFile({
    store,
    saved: editsOnDisk(folder, storage),
    currentTextOf: async (path) => workspace.files.get(path),
    onDropped: () => {},
    onError,
    typingRestsMs: 0,
  });
  await saved.load();
  isOpen = true;
  let host = emptyHostState();
  const emit = (event: HostEvent) => {
    host = reduceHost(host, event);
  };
  const grants = new ChatGrants({ emit, newId });
  const review = reviewByMode(
    {
      mode: () => mode,
      before: reviews,
      after: applied,
      open: new OpenEdits(),
      isSensitive: async () => false,
      journal,
    },
    { id: chatId, emit, lineage: (id) => (id === "main" ? ["main"] : ["main", id]), rootCall: rootCallOf, grants },
  );
  const interrupted = (hasResult: (callId: string) => boolean = () => false) =>
    InterruptedEdits.read(
      {
        ...{ journal, reviews, applied },
        isUndecided: (id) => store.files.some(({ hunks }) => hunks.some((hunk) => hunk.id === id)),
        answer: async (scope, answer) => {
          if (answer === "kept") await applied.keep(scope);
          else await applied.undo(scope);
        },
        currentText: async (path) => workspace.files.get(path),
      },
      { chatId, hasResult },
    );
  return {
    ...{ workspace, store, reviews, applied, journal, errors, dead: death.promise, saved, emit },
    host: () => host,
    /** Takes up the pending edits in the folder of another window. */
    adopt: (left: string) => inTurn(() => saved.adopt(editsOnDisk(left, storage))),
    propose: (changes: ProposedChange[], agent = "main", callId = `call-${agent}`) =>
      review.review(proposalOf(changes, agent, callId), new AbortController().signal),
    interrupted,
    /** What an earlier window left, offered again. */
    async restored() {
      const edits = await interrupted();
      await edits?.attach(emit);
      return edits;
    },
  };
}

/** The journal that is kept in such files. */
export function journalIn(files: Map<string, string>): JournalStorage {
  return journalOnDisk(join(onlyFolder, "journal"), memoryCalls(files) as unknown as DiskCalls);
}

function rootCallOf(agent: string): string | undefined {
  return agent === "main" ? undefined : "delegation";
}

function proposalOf(changes: ProposedChange[], agent: string, callId: string): EditProposal {
  const isRoot = agent === "main";
  const meta = { id: agent, prefix: agent, depth: isRoot ? 0 : 1 };
  return { callId, toolName: "edit_file", agent: meta, agentPath: isRoot ? ["main"] : ["main", agent], changes };
}
