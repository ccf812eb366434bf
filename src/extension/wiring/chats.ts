import { join } from "node:path";
import * as vscode from "vscode";
import { type AgentTool, toolDefinition, type UserMessage } from "../../agent/index.ts";
import { isSensitivePath } from "../approvals/sensitive.ts";
import { tidyAfterRuns } from "../changes/editor/tidyFiles.ts";
import type { Rewinds } from "../changes/rewind/rewinds.ts";
import { chatNotes, configureChatAgent, createChatAgent } from "../chat/agents/chatAgents.ts";
import { toolsFor } from "../chat/agents/chatTools.ts";
import { delegationOf } from "../chat/agents/delegationParts.ts";
import type { Chat } from "../chat/chat.ts";
import { Chats } from "../chat/chats.ts";
import { draftsIn } from "../chat/compose/drafts.ts";
import { runNotice } from "../chat/notices.ts";
import { InterruptedEdits } from "../chat/restore/interruptedEdits.ts";
import { takenMessages } from "../chat/restore/openSession.ts";
import { demoProviderId } from "../models/providers.ts";
import { listenToUser, MessageSearch, noteWords } from "../panel/history/messageSearch.ts";
import { openSessionStorage } from "../sessions/storage.ts";
import { watchMilestones } from "../start/milestones.ts";
import { type ChatAgentParts, createAgents } from "./agents.ts";

/** For so long a chat that was deleted can be brought back. */
const removedSessionsMs = 30 * 24 * 60 * 60 * 1_000;

export interface ChatParts extends Omit<ChatAgentParts, "needs"> {
  needs: ChatNeeds;
}

/** What chats need of the panels, which come after them. */
interface ChatNeeds {
  isShown(chat: Chat): boolean;
  refreshStatus(): void;
  /** Puts the caret back into the side-bar view, where that was what the user acted in. */
  refocus(): Promise<void>;
  /** Called when something runs or waits for the user, or does no more. */
  onActivity(): void;
  /** Called with a chat that another window goes on with after it was taken for left. */
  onReturn(chat: Chat): void;
}

/** The chats that are open, their agents, and what is kept of both. */
export function createChats({ host, models, editing, customization, mcp, extensions, needs }: ChatParts) {
  const { own, warn, reportFailure } = host;
  const { workspaceFolder, windowFolder } = host.storage;
  const { review } = editing;
  const agents = createAgents({ host, models, editing, customization, mcp, extensions, needs });
  const { chatAgents, activity, away } = agents;
  const drafts = draftsIn(windowFolder, reportFailure);
  const sessions = openSessionStorage({
    folder: join(workspaceFolder, "sessions"),
    onTrouble: (message, id) => chats.showTrouble(message, id),
    patienceMs: 2_000,
  });
  const words = new MessageSearch(join(workspaceFolder, "words"), reportFailure);
  const rewinds = rewindsOnDemand(
    ({ Rewinds, rewoundNote }) =>
      new Rewinds({
        checkpoints: review.checkpoints,
        applied: review.written,
        confirm: async ({ message, detail, choices }) => {
          const buttons = choices.map(({ button }) => button);
          const pressed = await vscode.window.showWarningMessage(message, { modal: true, detail }, ...buttons);
          // The editor gives it back after a question with one answer, and not after one with several.
          if (choices.length > 1) await needs.refocus();
          return choices.find(({ button }) => button === pressed)?.what;
        },
        inTurn: (step) => review.proposals.inTurn(step),
        onFiles: async (chat, rewind, paths) => {
          await review.history.absorb(paths);
          if (rewind.what === "files" && chat.rootId !== undefined)
            review.history.addEvent(chat.rootId, rewoundNote(paths, rewind));
        },
        onConflicts: (conflicts, branch) => review.showBranchConflicts(conflicts, branch),
      }),
  );
  const reported = (error: unknown) => {
    reportFailure(error);
    return undefined;
  };
  const reach = watchMilestones({
    isDemo: () => models.settings().model.startsWith(`${demoProviderId}/`),
    onReach: (milestone) => void vscode.commands.executeCommand("setContext", milestone, true),
  });
  /** What the project says is read beside the rest. The agent is given the same promise: its run says what fails. */
  const readAhead = (chat: Chat) =>
    delegationOf(chat, chatAgents)
      .projectContext()
      .catch(() => undefined);
  const followed = new WeakSet<Chat>();
  const follow = (chat: Chat) => {
    if (followed.has(chat)) return;
    followed.add(chat);
    chat.own(activity.follow(chat));
    chat.own(chat.log.onAppend(reach));
    chat.own(
      chat.log.onAppend((entry) => {
        if (!("agent" in entry)) return;
        away.observe(entry.agent, () => chat.title);
        extensions.registry.emit(entry.agent);
      }),
    );
  };
  const chats = new Chats({
    drafts,
    sessions,
    warn,
    onOpen: (chat, { queuedWords, rewinds: undoable }) => {
      if (chat.edits !== undefined || chat.host.pending.length > 0) follow(chat);
      if (queuedWords.length > 0) drafts.keep(chat.id, [...queuedWords, chat.draft.text].join("\n").trim());
      const adopted = undoable.map((rewind) => ({ rewind, messages: () => takenMessages(sessions, chat, rewind) }));
      if (adopted.length > 0) rewinds.adopt(adopted, chat).catch(reportFailure);
      // Another window notes what is said in its chats.
      if (!chat.isReadOnly) noteWords(chat, words);
    },
    interruptedEdits: (chatId, hasResult) =>
      InterruptedEdits.read(
        {
          ...{ journal: review.journal, reviews: review.proposals, applied: review.written },
          isUndecided: (hunkId) => review.store.files.some(({ hunks }) => hunks.some(({ id }) => id === hunkId)),
          answer: (scope, answer) => review.commands[answer === "kept" ? "keep" : "undo"](scope),
          currentText: (path) => review.reopenedText(path).catch(reported),
        },
        { chatId, hasResult },
        // The chat is worth having all the same.
      ).catch(reported),
    createAgent: (chat) => {
      follow(chat);
      chat.own(listenToUser(chat, words));
      const agent = createChatAgent(chat, chatAgents);
      agent.subscribe(
        tidyAfterRuns({
          settings: models.settings,
          hasPending: (path) =>
            chat.host.pendingEdits.some((edits) => edits.path === path) ||
            review.store.files.some((file) => file.path === path),
          tidy: review.tidy,
          reportFailure,
        }),
      );
      return agent;
    },
    stopSpawned: (chat, agentId) => chatAgents.foreign.stopSpawned(chat, agentId),
    configure: (agent, chat) => configureChatAgent(agent, chat, chatAgents),
    addNotes: chatNotes({ ...chatAgents, reviewNoteFor: (agentId) => review.history.takeNote(agentId) }),
    beforeSend: async (chat, message) => {
      await Promise.all([
        // After what the user is just keeping or undoing: until all of it is written, a file may have any part of it.
        review.proposals.inTurn(() => review.history.refresh()),
        chatAgents.surroundings.environmentOf(chat.id),
        customization.ready().then(() => (chat.earlier === undefined ? readAhead(chat) : undefined)),
        mcp.prepare(),
        // Where it can't be read, each tool says so.
        editing.agentIgnore.refresh().catch(reportFailure),
      ]);
      if (message !== undefined) delegationOf(chat, chatAgents).address(message);
    },
    onReturn: needs.onReturn,
    noticeFor: runNotice,
    onActivity: (chat) => {
      if (!chat.isRunning) closeUnused(chat);
      needs.onActivity();
    },
  });
  own({ dispose: () => void chats.dispose() });
  /** Chats whose tab was closed. */
  const left = new WeakSet<Chat>();
  /** What runs or is shown stays; so do commands in the background, which other chats show, unless their chat was left. */
  const closeUnused = (chat: Chat) => {
    const { pending, queue } = chat.host;
    const isAtWork = chat.isRunning || chat.isAboutToResume || pending.length > 0 || queue.length > 0;
    if (needs.isShown(chat)) left.delete(chat);
    else if (!isAtWork && (left.has(chat) || !chatAgents.commands.hasRunning(chat))) {
      chats.close(chat).catch(reportFailure);
    }
  };
  /** The tab of a chat was closed: its commands end, as soon as its agents do not need them. */
  const leave = (chat: Chat) => {
    left.add(chat);
    closeUnused(chat);
  };
  /** Chats that no panel shows, but in which something waits since before the window was closed. */
  const openWaiting = async () => {
    const list = await sessions.list();
    for (const { id, isWaiting, isRunning } of list) {
      // One that can't be opened keeps no other one from it.
      if (isWaiting === true && isRunning !== true) await chats.open(id).then(closeUnused, reportFailure);
    }
    const known = new Set(list.map(({ id }) => id));
    for (const id of await review.journal.chats()) {
      if (known.has(id)) closeUnused(await chats.open(id));
      else await review.journal.removeOld(id, Date.now() - removedSessionsMs);
    }
  };
  /** What the hooks make of a message of the user's. */
  const revise = async (chat: Chat, message: UserMessage, signal: AbortSignal) => {
    await customization.ready();
    return chatAgents.hooks(chat).submit(message, signal);
  };
  let readied: Promise<void> | undefined;
  /**
   * Does what the first request and the first read wait for otherwise, while the user types. What fails here fails again
   * there, which says so.
   */
  const prepare = async (chat: Chat) => {
    readied ??= readyTools(() => toolsFor(chat, chatAgents, models.access.mainModel()).all).catch(() => {
      // The settings name no model yet.
      readied = undefined;
    });
    await Promise.all([models.access.prepare(), agents.environment.prepare(), readied]);
  };
  return { ...agents, chats, drafts, prepare, sessions, words, rewinds, revise, closeUnused, leave, openWaiting };
}
export type OpenChats = ReturnType<typeof createChats>;

/** Bit by bit, since all extensions wait meanwhile: the schemas of tools as models are shown them, and the names of secrets. */
async function readyTools(list: () => readonly AgentTool[]): Promise<void> {
  for (const tool of list()) {
    toolDefinition(tool);
    await turn();
  }
  for (let uses = 0; uses < usesUntilCompiled; uses++) {
    isSensitivePath("a");
    await turn();
  }
}

/** An expression of hundreds of names is compiled by its first use, and once more by a later one. */
const usesUntilCompiled = 3;

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Loaded with the first rewind, or the first chat that has one to undo. */
function rewindsOnDemand(create: (loaded: typeof import("../changes/rewind/rewinds.ts")) => Rewinds) {
  let rewinds: Promise<Rewinds> | undefined;
  const load = () => {
    rewinds ??= import("../changes/rewind/rewinds.ts").then(create);
    return rewinds;
  };
  return {
    rewind: async (...asked: Parameters<Rewinds["rewind"]>) => (await load()).rewind(...asked),
    undo: async (...asked: Parameters<Rewinds["undo"]>) => (await load()).undo(...asked),
    undoBranch: async (...asked: Parameters<Rewinds["undoBranch"]>) => (await load()).undoBranch(...asked),
    adopt: async (...known: Parameters<Rewinds["adopt"]>) => (await load()).adopt(...known),
  };
}
