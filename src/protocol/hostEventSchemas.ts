// Long because every event of the host is defined here once.
import * as z from "zod";
import { grantScopes } from "./grants.ts";
import { planStatuses } from "./hostEvents.ts";
import { budgetDecisions, budgetFigures } from "./runs.ts";

const text = z.string();
const count = z.number();
/** Names from the root agent down. */
const agentPath = z.array(text);
const decision = z.enum(["pending", "accepted", "rejected"]);

/** Who waits for an answer. */
const asker = z.object({ agentId: text, agentPath, callId: text });

/** Lines count from 1. */
const hunk = z.object({
  id: text,
  oldStart: count,
  oldLines: z.array(text),
  newStart: count,
  newLines: z.array(text),
  decision,
  reason: text.exactOptional(),
  /** The lines it replaces have changed: it can't be written as things are. */
  conflicted: z.literal(true).exactOptional(),
  /** Of an interrupted edit: it was written before the editor ended, and what became of it since. */
  onDisk: z.enum(["undecided", "kept", "undone", "changed", "gone"]).exactOptional(),
});

const file = z.object({
  path: text,
  change: z.enum(["add", "update", "delete"]),
  /** A deletion that is a move: the file goes there as it is, and its one hunk has no lines. */
  movedTo: text.exactOptional(),
  /** The imports that follow a move: the path of the moved file. They can be accepted once the move is. */
  follows: text.exactOptional(),
  languageId: text,
  hunks: z.array(hunk),
});

const request = z.object({
  kind: z.enum(["command", "fetch", "read", "mcp", "foreign", "hook"]),
  /** All of the command, address, or call of a tool, or the path of the file; what can't be seen in it is written out. */
  text,
  /** Lines that say where it runs or goes, and what is odd about it. */
  detail: text.exactOptional(),
  /** The user may change the command before it runs. */
  mayEdit: z.literal(true).exactOptional(),
});

/** An edit, a command, a fetch or the reading of a file with secrets that waits for an answer. */
const approval = asker.extend({
  id: text,
  /** Who wants the very same; the answer is for them as well. Absent without others. */
  others: z.array(asker).exactOptional(),
  toolName: text,
  files: z.array(file),
  /** In place of files: a command that waits to be run, an address to be fetched, or a file to be read. */
  request: request.exactOptional(),
  /** Answers that reach further than this once; absent where each time is asked. */
  scopes: z.array(z.object({ scope: z.enum(grantScopes), pattern: text.exactOptional() })).exactOptional(),
  /** Of a call that has done nothing yet: what it asks for, should it run again after a reload. */
  requestKey: text.exactOptional(),
  /** Why an edit is asked for in every mode, as sentences; absent where it is asked for because the mode says so. */
  why: z.array(text).exactOptional(),
  /** The end of the editor cut the call off: nothing waits for the answer, and some of it may be written. */
  isInterrupted: z.literal(true).exactOptional(),
});

const queuedMessage = z.object({
  id: text,
  text,
  /** A held one is not with its agent yet: it was sent, and something is asked or prepared before. */
  kind: z.enum(["steering", "followUp", "held"]),
  /** How many; absent without any. */
  attachmentCount: count.exactOptional(),
  /** The name of the sub-agent that it is for; absent for the root agent. */
  to: text.exactOptional(),
  /** Its id. */
  agentId: text.exactOptional(),
});

/** Estimated tokens of an agent's context by category. `reserved` is room for the answer. */
const contextBreakdown = z.object({
  system: count,
  tools: count,
  messages: count,
  files: count,
  toolResults: count,
  reserved: count,
  /** Size of the context window; absent when unknown. */
  window: count.exactOptional(),
  /** What the next request will show, after a compaction; otherwise what the last one did. */
  isAhead: z.literal(true).exactOptional(),
});

/** What a button of a notice does. */
export const noticeActionSchema = z.enum([
  "setUp",
  "useDemo",
  "selectModel",
  "setApiKey",
  "openSettings",
  "retry",
  "showLog",
  /** Limits what a run may cost, and never asks about it again; or does the latter alone. */
  "limitCost",
  "noCostLimit",
  /** Goes on with a run that was interrupted. */
  "resume",
  /** Goes on in a copy of the chat. */
  "fork",
  /** Goes on in a chat that another window has closed. */
  "continueHere",
  /** Makes room in the context and asks again. */
  "compact",
  "openFolder",
]);

/** A problem a person can do something about: one sentence and its buttons. */
const notice = z.object({
  id: text,
  level: z.enum(["info", "warning", "error"]),
  text,
  actions: z.array(noticeActionSchema),
  /** The provider whose API key is missing or refused. */
  keyOf: text.exactOptional(),
});

const planItem = z.object({ text, status: z.enum(planStatuses) });

/** What an agent wants to know from the user, and waits for. */
const question = z.object({
  ...asker.shape,
  id: text,
  text,
  /** Answers to choose from, perhaps none; the user may always write another one. */
  options: z.array(text),
  /** Its call does nothing else: after a reload it can run again. */
  mayAskAgain: z.literal(true).exactOptional(),
});

/** What one agent wrote into one file and that is neither kept nor undone yet. */
const pendingEdits = z.object({
  path: text,
  agentId: text,
  agentPath,
  /** Where the file was, when the agent moved it. */
  movedFrom: text.exactOptional(),
  /** The agent made the file, or deleted it. */
  change: z.enum(["add", "delete"]).exactOptional(),
  /** How many separate changes. */
  hunks: count,
  /** Lines. */
  added: count,
  removed: count,
});

/** What became of a hunk since it was written: it waits for Keep or Undo, or one of the others. */
const writtenState = z.enum(["written", "kept", "undone", "superseded"]);

/** What one tool call wrote into one file. */
const writtenFile = z.object({
  path: text,
  change: z.enum(["add", "update", "delete", "move"]),
  movedFrom: text.exactOptional(),
  hunks: z.array(
    z.object({
      id: text,
      /** In the file before the edit, from 1. */
      line: count,
      added: count,
      removed: count,
      /** As far as they are stored; absent where the file holds what is not stored with a conversation. */
      oldLines: z.array(text).exactOptional(),
      newLines: z.array(text).exactOptional(),
    }),
  ),
});

/** What the latest undo of written edits took away, and a redo brings back. */
const undoneEdits = z.object({ files: count, hunks: count });

/** A rewind to before a message of the user's. */
const rewind = z.object({
  messageId: text,
  what: z.enum(["files", "conversation", "both"]),
  id: text.exactOptional(),
  /** The number of the log's entry by which messages were removed, where any were. */
  seq: count.exactOptional(),
  /** The id of the last message that was left; empty when none was. */
  after: text.exactOptional(),
  /** Of files alone, and only what this agent and those that it started changed; then it is to before no message. */
  branch: z.object({ agentId: text, name: text }).exactOptional(),
  /** Written before the first file is: where no later event follows, the editor ended in the middle. */
  underWay: z.enum(["rewind", "undo"]).exactOptional(),
  /** Where the editor ended in the middle: which files it, or its undo, had reached, and which not. */
  interrupted: z.object({ in: z.enum(["rewind", "undo"]), done: z.array(text), left: z.array(text) }).exactOptional(),
});

/** What the user allowed without being asked again, as the panel shows it. */
const grant = z.object({
  id: text,
  kind: z.enum(["edit", "command", "fetch", "read", "mcp", "foreign", "hook"]),
  scope: z.enum(grantScopes),
  /** The files, the whole command, the host, or the file that is read; what can't be seen in it is written out. */
  text,
  /** Where the command runs. */
  folder: text.exactOptional(),
  /** With the scope `agent`: its names from the root agent down. */
  agentPath: agentPath.exactOptional(),
});

/** A command that runs in the background. */
const command = z.object({
  id: text,
  /** The tool call that started it. */
  callId: text,
  agentId: text,
  agentPath,
  command: text,
  /** Milliseconds since the epoch. */
  startedAt: count,
  /** The title of the chat that it belongs to; absent for the chat itself. */
  chatTitle: text.exactOptional(),
});

/** How a background command ended. */
const commandOutcome = z.object({
  /** `exit`: it ended on its own. `stopped`: by an agent or with its run. `closed`: with the chat or the window. */
  cause: z.enum(["exit", "timeout", "stopped", "user", "closed"]),
  /** Of an exit; absent when a signal ended it. */
  exitCode: count.exactOptional(),
  signal: text.exactOptional(),
  /** Absent when its end was not seen. */
  durationMs: count.exactOptional(),
});

/** What a run may use before the user is asked. What is absent has its default, 0 sets no limit. */
export const budgetLimitsSchema = z.object({
  /** USD */
  cost: count.exactOptional(),
  tokens: count.exactOptional(),
  /** Model requests. */
  turns: count.exactOptional(),
  minutes: count.exactOptional(),
});

/** Whose budget: that of the whole tree, of each sub-agent with what it spawns, or of one agent, by its id. */
const budgetTarget = z.discriminatedUnion("scope", [
  z.object({ scope: z.enum(["tree", "eachSubAgent"]) }),
  z.object({ scope: z.literal("agent"), agentId: text }),
]);

/** A budget is used up and its agents wait: whose it is, and what of it. */
const budgetQuestion = z.object({
  id: text,
  /** Whose budget it is. */
  agentId: text,
  agentPath,
  /** Who waits to go on; perhaps an agent below. */
  waitingId: text,
  figure: z.enum(budgetFigures),
  used: count,
  /** With all extensions so far. */
  allowed: count,
  /** By how much Extend raises it. */
  step: count,
  /** What the next request takes at least; absent where nothing is left anyway. */
  next: count.exactOptional(),
});

/** What of a budget is used, as of the latest request. */
const budgetUse = z.object({
  agentId: text,
  /** When the run began: uses of another one are over. Milliseconds since the epoch. */
  since: count,
  used: z.object({ cost: count, tokens: count, turns: count, minutes: count }),
  /** With all extensions so far; absent figures have no limit. */
  allowed: budgetLimitsSchema,
  /** The price of a model is not known: its cost is not in it. */
  isUncounted: z.literal(true).exactOptional(),
});

/** An agent that runs in another program, or one that such an agent spawned. */
const foreignAgent = z.object({
  agentId: text,
  /** As the settings name it. */
  program: text,
  /** By which the program can go on with it. */
  sessionId: text,
  /** The last message that its session was sent. */
  upTo: text.exactOptional(),
  /** Another model has taken its place. */
  isLeft: z.literal(true).exactOptional(),
  /**
   * `guarded`: it has Arbor's tools alone. `asks`: before it changes something. `sandboxed`: in a sandbox of its own.
   * `unsupervised`: nothing of that is known.
   */
  supervision: z.enum(["guarded", "asks", "sandboxed", "unsupervised"]),
  /** Whether it has reported what it used: what it has not is unknown, not nothing. */
  reported: z.object({ tokens: z.boolean(), cost: z.boolean() }),
});

/** An agent writes a file that agents beside it know. */
const fileCollision = z.object({
  callId: text,
  path: text,
  agentId: text,
  agentPath,
  /** What each of them did with the file last. */
  others: z.array(z.object({ agentId: text, agentPath, did: z.enum(["read", "wrote"]) })),
});

/** What an agent has read of a file so far. */
const fileRead = z.object({ path: text, agentId: text, agentPath, tokens: count });

const hookRun = z.object({
  /** Absent for the root agent. */
  agentId: text.exactOptional(),
  /** When it runs, like PreToolUse. */
  event: text,
  command: text,
  outcome: z.enum(["ran", "blocked", "changed", "added", "asked", "failed", "declined"]),
  /** What it said, shortened. */
  text: text.exactOptional(),
  /** The tool call that it was run for. */
  callId: text.exactOptional(),
  durationMs: count,
});

/** A message of the user's to a sub-agent, for the log of the agent that started it. */
const steeredAgent = z.object({
  messageId: text,
  agentId: text,
  /** The agent's name. */
  to: text,
  text,
  parentId: text,
  /** The parent's call that it works for. */
  callId: text.exactOptional(),
});

const comparedFile = z.object({
  path: text,
  change: z.enum(["add", "update", "delete"]),
  added: count,
  removed: count,
  /** As far as they are stored; none of what is no text. */
  hunks: z.array(z.object({ line: count, oldLines: z.array(text), newLines: z.array(text) })),
});

/** One task done several times, each time in a worktree of its own, to be compared. */
const comparison = z.object({
  /** The call that gave the tasks. */
  id: text,
  /** The agent whose task it was first. */
  agentId: text,
  title: text,
  /** When the user closed it; what it held is not stored any more. */
  isClosed: z.literal(true).exactOptional(),
  runs: z.array(
    z.object({
      /** Absent until it begins. */
      agentId: text.exactOptional(),
      /** `provider/model`; absent for the one that the agent would have. */
      model: text.exactOptional(),
      state: z.enum(["running", "done", "failed"]),
      /** What it said at its end, shortened. */
      answer: text.exactOptional(),
      tokens: count.exactOptional(),
      /** USD; absent where it is not known. */
      cost: count.exactOptional(),
      durationMs: count.exactOptional(),
      /** The last tests that it ran; without an exit code they were ended. */
      tests: z.object({ command: text, exitCode: count.exactOptional() }).exactOptional(),
      /** What it changed, or the first of it. */
      files: z.array(comparedFile).exactOptional(),
      /** Of all files that it changed, where these are more. */
      fileCount: count.exactOptional(),
      /** Its change was proposed on the user's files. */
      isUsed: z.literal(true).exactOptional(),
    }),
  ),
});

/** What is wrong with what a sub-agent has reported. Without a flag: nothing any more. */
const reportCheck = z.object({
  agentId: text,
  /** `empty`: no text. `cut`: by a limit. `pointer`: it only says where else to look. */
  flag: z.enum(["empty", "cut", "pointer"]).exactOptional(),
  /** The report that came when the agent that asked had gone on. */
  late: text.exactOptional(),
  /** The agent that asked for it has not got it yet. */
  isHeld: z.literal(true).exactOptional(),
});

const compactionResult = z.object({
  /** The message that holds the summary. */
  messageId: text,
  /** Tokens of the context; estimated. */
  before: count,
  after: count,
});

/** What only the host knows about a chat. */
export const hostEventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("chat_titled"), title: text }),
  z.object({ type: z.literal("approval_requested"), approval }),
  z.object({ type: z.literal("hunk_decided"), approvalId: text, hunkId: text, decision, reason: text.exactOptional() }),
  z.object({
    type: z.literal("approval_closed"),
    approvalId: text,
    outcome: z.enum(["accepted", "rejected", "partly", "canceled"]),
  }),
  z.object({ type: z.literal("queue_changed"), items: z.array(queuedMessage) }),
  z.object({ type: z.literal("context_measured"), agentId: text, context: contextBreakdown }),
  z.object({ type: z.literal("notice_shown"), notice }),
  z.object({ type: z.literal("notice_closed"), noticeId: text }),
  /** An agent's plan; always the whole. An empty one removes it. */
  z.object({ type: z.literal("plan_changed"), agentId: text, items: z.array(planItem) }),
  z.object({ type: z.literal("question_asked"), question }),
  /** Without an answer: the question was withdrawn, because its agent was stopped. */
  z.object({ type: z.literal("question_answered"), questionId: text, answer: text.exactOptional() }),
  /** Edits that are written and wait for Keep or Undo; always the whole list. */
  z.object({
    type: z.literal("pending_edits_changed"),
    files: z.array(pendingEdits),
    undone: undoneEdits.exactOptional(),
  }),
  /** A tool call has written; its hunks are kept unless the next events say otherwise. */
  z.object({
    type: z.literal("edit_written"),
    callId: text,
    agentId: text,
    agentPath,
    files: z.array(writtenFile),
    /** Why, in the model's words before the call. */
    reason: text.exactOptional(),
  }),
  z.object({ type: z.literal("written_hunks_changed"), hunkIds: z.array(text), state: writtenState }),
  /** The latest rewind that can be undone; without one, none can. After it, those before it can, the oldest first. */
  z.object({
    type: z.literal("rewind_changed"),
    undoable: rewind.exactOptional(),
    earlier: z.array(rewind).exactOptional(),
  }),
  /** Agents whose run the end of the editor cut off; always the whole list. */
  z.object({ type: z.literal("interrupted"), agentIds: z.array(text) }),
  /** What the user allowed without being asked again; always the whole list. */
  z.object({ type: z.literal("grants_changed"), grants: z.array(grant) }),
  /** A call went through unasked, by what the user had allowed. */
  z.object({ type: z.literal("call_allowed"), callId: text, grant }),
  /** Commands that run in the background, of this chat and of others that are open; always the whole list. */
  z.object({ type: z.literal("commands_changed"), commands: z.array(command) }),
  /** A background command of this chat has ended. */
  z.object({ type: z.literal("command_ended"), callId: text, outcome: commandOutcome }),
  z.object({ type: z.literal("budget_changed"), target: budgetTarget, limits: budgetLimitsSchema }),
  z.object({ type: z.literal("budget_asked"), question: budgetQuestion }),
  /** Without a decision: it is not waited for any more. */
  z.object({ type: z.literal("budget_answered"), questionId: text, decision: z.enum(budgetDecisions).exactOptional() }),
  /** A hook was run for an agent, or not allowed to. */
  z.object({ type: z.literal("hook_ran"), ...hookRun.shape }),
  /** What is known of an agent that runs in another program. */
  z.object({ type: z.literal("foreign_agent"), ...foreignAgent.shape }),
  /** An agent works in a worktree of its own. `task` names what it does there, also when that goes on after a restart. */
  z.object({ type: z.literal("agent_isolated"), agentId: text, task: text.exactOptional() }),
  z.object({ type: z.literal("comparison_changed"), comparison }),
  /** Comes before the file is written, and again, with all of them, when the write meets another agent while it waits. */
  z.object({ type: z.literal("files_collided"), ...fileCollision.shape }),
  z.object({ type: z.literal("file_read"), ...fileRead.shape }),
  /** The agents that the user has paused, each with all below it; always the whole list. */
  z.object({ type: z.literal("branches_paused"), agentIds: z.array(text) }),
  /** A sub-agent has read a message of the user's. */
  z.object({ type: z.literal("agent_steered"), ...steeredAgent.shape }),
  z.object({ type: z.literal("report_checked"), ...reportCheck.shape }),
  z.object({ type: z.literal("budget_used"), ...budgetUse.shape }),
  z.object({ type: z.literal("compaction_started"), agentId: text }),
  /** Without a result: nothing came of it. */
  z.object({ type: z.literal("compaction_ended"), agentId: text, result: compactionResult.exactOptional() }),
]);

type HostEvent = z.infer<typeof hostEventSchema>;

/** Host events, by type. */
export type HostEvents = { [Type in HostEvent["type"]]: Extract<HostEvent, { type: Type }> };

interface Traits<Type extends HostEvent["type"]> {
  /** What the event is about, where later ones replace or end it. */
  key?(event: HostEvents[Type]): string;
  /** Only the latest counts; with a key, the latest of each. Absent: all of them count. */
  isState?: true;
  /** The type of the event with the same key that this one ends. */
  ends?: HostEvent["type"];
  /** A window that follows another one's chat takes it over. Absent: it is answered, or holds, there alone. */
  isFollowed?: true;
}

/** Of each type of host event what sessions and other windows have to know of it. */
export const hostEventTraits: { readonly [Type in HostEvent["type"]]: Traits<Type> } = {
  chat_titled: { isState: true, isFollowed: true },
  approval_requested: { key: ({ approval }) => approval.id },
  hunk_decided: { key: ({ approvalId }) => approvalId },
  approval_closed: { key: ({ approvalId }) => approvalId, ends: "approval_requested" },
  queue_changed: { isState: true },
  context_measured: { key: ({ agentId }) => agentId, isState: true, isFollowed: true },
  notice_shown: { key: ({ notice }) => notice.id, isState: true },
  notice_closed: { key: ({ noticeId }) => noticeId, ends: "notice_shown" },
  plan_changed: { key: ({ agentId }) => agentId, isState: true, isFollowed: true },
  question_asked: { key: ({ question }) => question.id },
  question_answered: { key: ({ questionId }) => questionId, ends: "question_asked" },
  pending_edits_changed: { isState: true },
  edit_written: { isFollowed: true },
  written_hunks_changed: { isFollowed: true },
  rewind_changed: { isState: true },
  interrupted: { isState: true },
  grants_changed: { isState: true },
  call_allowed: { isFollowed: true },
  commands_changed: {},
  command_ended: {},
  budget_changed: {},
  budget_asked: {},
  budget_answered: {},
  budget_used: { key: ({ agentId }) => agentId, isState: true, isFollowed: true },
  foreign_agent: { key: ({ agentId }) => agentId, isState: true, isFollowed: true },
  files_collided: { key: ({ callId, path }) => `${callId} ${path}`, isState: true, isFollowed: true },
  agent_isolated: { key: ({ agentId }) => agentId, isState: true, isFollowed: true },
  comparison_changed: { key: ({ comparison }) => comparison.id, isState: true, isFollowed: true },
  file_read: { key: ({ agentId, path }) => `${agentId} ${path}`, isState: true, isFollowed: true },
  hook_ran: { isFollowed: true },
  branches_paused: { isState: true },
  agent_steered: { key: ({ messageId }) => messageId, isState: true, isFollowed: true },
  report_checked: { key: ({ agentId }) => agentId, isState: true, isFollowed: true },
  compaction_started: { isFollowed: true },
  compaction_ended: { isFollowed: true },
};

/** The types of host events with a trait. */
export function hostEventsWith(trait: keyof Traits<HostEvent["type"]>): ReadonlySet<string> {
  return new Set(Object.entries(hostEventTraits).flatMap(([type, traits]) => (trait in traits ? [type] : [])));
}

/** Undefined for one that is about nothing further, or comes from a newer version. */
export function keyOfHostEvent(event: HostEvent): string | undefined {
  if (!Object.hasOwn(hostEventTraits, event.type)) return undefined;
  // Each entry takes events of its own type: the compiler can't follow one event through the union.
  const { key } = hostEventTraits[event.type] as Traits<HostEvent["type"]>;
  return key?.(event);
}
