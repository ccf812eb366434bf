// Long because the whole way of an isolated task is here, from its worktree to what is proposed of it.
import { realpath, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { AgentDirectory, StartingTask } from "../../agent/toolkits/delegation.ts";
import type { AgentMeta, ToolResult } from "../../agent/types.ts";
import type { Model } from "../../agent/vocabulary/model.ts";
import type { ToolContext } from "../../agent/vocabulary/tools.ts";
import { fileEditsIn } from "../../protocol/fileEdits.ts";
import type { Comparison, HostEvent } from "../../protocol/hostEvents.ts";
import type { EditProposal } from "../changes/model/change.ts";
import { ToolError, UserStop } from "../common/userError.ts";
import type { OfferedTools } from "../customization/agents.ts";
import { isolationNote } from "../prompts/agentPrompts.ts";
import type { NamedCommand } from "../terminal/commands.ts";
import type { CommandDependencies } from "../tools/dependencies.ts";
import type { ToolDependencies } from "../tools/index.ts";
import { orRefusal } from "../tools/refusal.ts";
import { reviewedInTurn } from "../tools/reviewedEdit.ts";
import { folderWorkspace } from "../workspace/folderWorkspace.ts";
import { isolatedTools } from "./isolatedTools.ts";
import { type ProposedChanges, proposedChanges } from "./proposedChanges.ts";
import type { WorktreeChanges, Worktrees } from "./worktrees.ts";

/** Where agents work that do not work in the workspace. */
export interface OtherFolder {
  /** Of the folder for long outputs. */
  name: string;
  /** Absolute, without links. */
  folder: string;
  /** What else their commands can read in the sandbox. */
  readable: readonly string[];
  /** A folder in it to run a command in. */
  commandFolder: CommandDependencies["folder"];
  onStart?(command: NamedCommand): void;
}

/** A chat as its isolated agents need it. */
export interface IsolatingChat {
  /** With which agents work that are not isolated. */
  tools: ToolDependencies;
  commandsIn(folder: OtherFolder): CommandDependencies & { dispose(): void };
  usesPatches(model: Model | undefined): boolean;
  directoryWith(tools: (model?: Model) => OfferedTools, note: string): AgentDirectory;
  modelNamed(name: string): Model | undefined;
  /** Whether the agent is a program of its own. */
  isForeign(name: string): boolean;
  comparisons(): readonly Comparison[];
  /** The agent that began the task with this key. */
  isolatedAgent(key: string): string | undefined;
  emit(event: HostEvent): void;
  /** An agent has written these files of its worktree. */
  onWritten(paths: readonly string[]): void;
}

/** How an isolated run ended, before anything of it is proposed. */
interface IsolatedRun {
  end: Awaited<ReturnType<StartingTask["run"]>>;
  agent: AgentMeta | undefined;
  changes: WorktreeChanges;
  /** To be called when its changes are proposed, or not wanted: until then they are stored. */
  settle(): Promise<void>;
}

/** Runs a task in a worktree, and proposes what its agents changed there on the user's files. */
export async function runIsolated(
  worktrees: Worktrees,
  folder: string,
  task: StartingTask,
  chat: IsolatingChat,
): Promise<Awaited<ReturnType<StartingTask["run"]>>> {
  let run: IsolatedRun | undefined;
  const result = await orRefusal(async () => {
    run = await inWorktree(worktrees, folder, task, { chat });
    return run.end.result;
  });
  if (run?.agent === undefined) return { result };
  const { end, agent, changes, settle } = run;
  // What a stopped agent did is not wanted.
  if (end.run?.reason === "aborted") {
    await settle();
    return end;
  }
  const callId = task.index === 0 ? task.context.callId : `${task.context.callId}:${task.index}`;
  const { report } = await propose(changes, { agent, callId, context: task.context, tools: chat.tools });
  await settle();
  return { ...end, result: withReport(end.result, report) };
}

interface RunParts {
  chat: IsolatingChat;
  model?: Model;
}

/** Runs a task in a worktree that is removed at its end. Throws a `UserError` where there can't be one. */
export async function inWorktree(
  worktrees: Worktrees,
  folder: string,
  task: StartingTask,
  { chat, model }: RunParts,
): Promise<IsolatedRun> {
  const { signal, callId, agent: delegating } = task.context;
  // Providers give ids of calls again, also in other chats.
  const key = `${delegating.id} ${callId} ${task.index}`;
  const worktree = await worktrees.create(folder, { key, signal });
  const commandFolder = (path?: string) => folderIn(worktree.folder, path);
  const other = { name: worktree.name, folder: worktree.folder, readable: worktree.linked, commandFolder };
  const commands = chat.commandsIn(other);
  let agent: AgentMeta | undefined;
  try {
    const tools = isolatedTools(worktree.folder, basename(folder), { commands, ...chat });
    const end = await task.run({
      registry: chat.directoryWith(tools, isolationNote(worktree.submodules)),
      ...(model && { model }),
      // Tasks of one call can have the same name and title, and begin in any order. One that had not begun gets a new agent.
      earlierId: chat.isolatedAgent(key) ?? "",
      onCreated: ({ meta }) => {
        agent = meta;
        chat.emit({ type: "agent_isolated", agentId: meta.id, task: key });
      },
    });
    const changes = await worktree.changes();
    // The editor may end before the user has decided: then the task goes on with them.
    await worktrees.store(key, changes.inside).catch(() => undefined);
    const isCutOff = () => signal.aborted && !(signal.reason instanceof UserStop);
    const settle = async () => (isCutOff() ? undefined : worktrees.forget(key));
    return { end, agent, changes, settle };
  } finally {
    commands.dispose();
    // What can't be removed now must not take the agent's work with it: the next start removes it.
    await worktree.remove().catch(() => undefined);
  }
}

async function folderIn(root: string, path = ""): ReturnType<CommandDependencies["folder"]> {
  const { resolve } = folderWorkspace(root, "workspace");
  const { absolute, path: own } = await resolve(path);
  const found = await stat(absolute).catch(() => undefined);
  if (found?.isDirectory() !== true) throw new ToolError(`${path} is no folder. Give a folder as cwd.`);
  return { path: own === "" ? "." : own, absolute: await realpath(absolute), root };
}

interface Proposing {
  agent: AgentMeta;
  callId: string;
  context: Pick<ToolContext, "signal"> & Partial<ToolContext>;
  tools: ToolDependencies;
}

/** What became of a change on the user's files. */
interface TakenOver {
  /** For the model. */
  report: string;
  /** Something of it was proposed. */
  isProposed: boolean;
  /** The user took something of it, and it is written. */
  isWritten: boolean;
  /** Files of it that can't be proposed, or not all that changed of them. */
  left: readonly string[];
}

/** Asks the user what of a change is to be kept, as for any other edit. */
export async function propose(
  { inside, above, repositories, unread = [] }: WorktreeChanges,
  { agent, callId, context, tools }: Proposing,
): Promise<TakenOver> {
  const textNow = async (path: string) => {
    if ((await tools.workspace.stat(path)) === undefined) return undefined;
    const content = await tools.workspace.read(path, context.signal);
    if (content.kind === "text") return content.text;
    throw new Error("it is an image");
  };
  const proposedNow = async (): Promise<ProposedChanges> => {
    const all = await proposedChanges(inside, textNow);
    const denied = (await tools.review.denies?.({ agent, changes: all.changes })) ?? new Map<string, string>();
    const isAllowed = ({ path }: { path: string }) => !denied.has(path);
    return {
      ...{ changes: all.changes.filter(isAllowed), modes: all.modes.filter(isAllowed) },
      conflicts: all.conflicts.filter((path) => !denied.has(path)),
      left: [...all.left, ...[...denied].map(([path, reason]) => ({ path, reason }))],
    };
  };
  let proposed = await proposedNow();
  const others = [
    ...above.map((path) => ({ path, reason: "it is outside the open folder" })),
    ...repositories.map((path) => ({ path, reason: "it is a git repository of its own" })),
    ...unread.map((path) => ({ path, reason: "it is too large or can't be read" })),
  ];
  const takenOver = (became: string, done: Pick<TakenOver, "isProposed" | "isWritten">): TakenOver => ({
    ...{ ...done, report: [became, ...notesOf(proposed, others)].join("\n") },
    left: [...proposed.left, ...others, ...proposed.modes].map(({ path }) => path),
  });
  if (proposed.changes.length === 0) {
    const became = inside.length + others.length === 0 ? "It changed no file." : "Nothing was proposed.";
    return takenOver(became, { isProposed: false, isWritten: false });
  }
  const reviewed = (mustAsk: () => EditProposal["mustAsk"]) =>
    reviewedInTurn(
      tools,
      {
        toolName: "delegate_to_agent",
        ...{ paths: proposed.changes.map(({ path }) => path), mustAsk },
        changes: async () => {
          proposed = await proposedNow();
          if (proposed.changes.length === 0) throw new ToolError("The workspace holds all of its change already.");
          return proposed.changes;
        },
      },
      contextOf({ agent, callId, context }),
    );
  const result = await orRefusal(() =>
    reviewed(() => (proposed.conflicts.length > 0 ? "conflicts" : undefined)).catch((error: unknown) => {
      // What is refused stays refused, and a run that was stopped asks nothing any more.
      if (context.signal.aborted || error instanceof ToolError) throw error;
      // One file would cost all the others: who is asked can take those, or make room for it.
      const unwritten = error instanceof Error ? error.message : String(error);
      return reviewed(() => ({ unwritten }));
    }),
  );
  const isWritten = fileEditsIn(result.details).some(({ accepted }) => accepted > 0);
  return takenOver(textOf(result), { isProposed: true, isWritten });
}

/** The call of the one that delegated, as if the agent had made the edit with it. */
function contextOf({ agent, callId, context }: Omit<Proposing, "tools">): ToolContext {
  const nothing = () => {};
  const none = { update: nothing, output: nothing, reportUsage: nothing };
  const inherited = { tools: [], subAgents: context.subAgents, scope: context.scope, depth: agent.depth };
  return { ...inherited, ...none, signal: context.signal, agent, callId } as ToolContext;
}

/** What the model has to know beside what became of the proposal. */
function notesOf({ conflicts, left, modes }: ProposedChanges, others: ProposedChanges["left"]): string[] {
  const clashes = `Meanwhile the same lines were changed in the workspace in ${conflicts.join(", ")}: the user decided which to keep.`;
  return [
    ...(conflicts.length === 0 ? [] : [clashes]),
    ...[...left, ...others].map(({ path, reason }) => `${path} was changed too, but is not taken over: ${reason}.`),
    ...modes.map(({ path, isExecutable }) => {
      const mode = isExecutable ? "is executable" : "is not executable any more";
      return `${path} ${mode} in the agent's copy; its mode was not taken over.`;
    }),
  ];
}

function textOf({ content }: ToolResult): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}

function withReport(result: ToolResult, report: string): ToolResult {
  return {
    ...result,
    content: `${textOf(result)}\n\n<change_of_the_isolated_agent>\n${report}\n</change_of_the_isolated_agent>`,
  };
}
