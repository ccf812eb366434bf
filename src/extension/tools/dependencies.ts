import type { AgentMeta } from "../../agent/types.ts";
import type { FileCollision, PlanItem } from "../../protocol/hostEvents.ts";
import type { AskPermission } from "../approvals/permission.ts";
import type { EditReview } from "../changes/model/change.ts";
import type { CommandChanges } from "../changes/rewind/commandChanges.ts";
import type { CommandSandbox } from "../sandbox/commandSandbox.ts";
import type { Commands } from "../terminal/commands.ts";
import type { OutputStore } from "../terminal/outputStore.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { ReadVersions } from "./readVersions.ts";
import type { SecretReads } from "./secretReads.ts";

/** What the editor's tools are made with. */
export interface ToolDependencies {
  workspace: Workspace;
  review: EditReview;
  /** One for all agents of all chats, so that they learn of each other's edits. */
  reads: ReadVersions;
  /** Absent where no other agent works. */
  collisions?: CollisionContext;
  /** Called with what an agent was given of a file. Default: it is not counted. */
  onRead?(agentId: string, path: string, content: string): void;
  /** Asks before files with keys or passwords are read. Absent where there is no user to ask: then none is read. */
  secrets?: SecretReads;
  /** The user's own skills, whose paths begin with `~/`. Absent: there are none. */
  userSkills?: Pick<Workspace, "stat" | "read">;
  /** Names from the root agent down, like ["main", "edit"]. */
  agentPath(agentId: string): readonly string[];
  /** Absent where no process can run and nothing is fetched: then there are no tools for it. */
  commands?: CommandDependencies;
  /** Absent without a user: then there is no plan to show and no question to ask. */
  panel?: PanelAccess;
}

/** What commands and fetches need beside the workspace: what allows them, and where their output goes. */
export interface CommandDependencies {
  /** Keeps what commands change for a rewind. Absent where nothing can be rewound. */
  changes?: Pick<CommandChanges, "begin">;
  askPermission: AskPermission;
  commands: Commands;
  /** Where commands run. Absent where there is no sandbox to choose. */
  sandbox?: Pick<CommandSandbox, "choose" | "canLeave">;
  outputs: OutputStore;
  /** What commands are written for, like "bash on Linux". Default: the shell of this machine. */
  shell?: string;
  /**
   * A folder of the workspace, or the first one, to run commands in. Throws a `ToolError` where there is none on this
   * machine's disk. `root` is the folder of the workspace that it is in.
   */
  folder(path: string | undefined): Promise<{ path: string; absolute: string; root: string }>;
}

/** What an agent wants to know from the user. */
interface AskedQuestion {
  agent: AgentMeta;
  callId: string;
  text: string;
  /** Answers to choose from; the user may write another one. */
  options: readonly string[];
  /** The call does nothing else: after a reload it can run again. */
  mayAskAgain?: true;
}

/** The panel as tools use it. */
export interface PanelAccess {
  showPlan(agentId: string, items: readonly PlanItem[]): void;
  /** Waits for the answer, as long as it takes. An abort withdraws the question and rejects. */
  ask(question: AskedQuestion, signal: AbortSignal): Promise<string>;
}

/** What an edit has to know of the other agents of its chat, and where it reports whom it meets. */
interface CollisionContext {
  /** Of the same tree, and neither above nor below: an agent that delegates expects its files to change. */
  isBeside(agentId: string, otherId: string): boolean;
  /** Called before the file is written, and again with the same call and path for each agent that is met later. */
  report(collision: FileCollision): void;
}
