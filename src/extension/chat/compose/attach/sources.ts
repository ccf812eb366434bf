import type { ResourceAttachment } from "../../../../protocol/attachments.ts";
import type { Workspace } from "../../../workspace/workspace.ts";

/** The command that ran last in the user's terminals. */
export interface TerminalOutput {
  /** Empty where the shell did not report it. */
  command: string;
  /** Its end, where it was long. */
  output: string;
  /** Characters that are missing before the output. */
  omitted: number;
  exitCode?: number;
}

/** A file of the repository that differs from its last commit. */
export interface ChangedFile {
  path: string;
  /** A unified diff; of a file that git does not know yet, its text. */
  text: string;
  isUntracked: boolean;
}

export interface Changes {
  files: ChangedFile[];
  /** Changed files that were left out. */
  omitted: number;
}

/** Where attachments get what they bring to the model. */
export interface AttachmentSources {
  /** False in Restricted Mode: then nothing of the workspace is attached. */
  isTrusted(): boolean;
  workspace: Pick<Workspace, "stat" | "read" | "list" | "diagnostics" | "documentSymbols">;
  /** Lines that are selected in the editor now. */
  selection(): { path: string; startLine: number; endLine: number } | undefined;
  /** Undefined: no command was seen to run, or the shell does not report it. */
  terminal(): TerminalOutput | undefined;
  /** Undefined: the workspace has no repository. */
  changes(signal: AbortSignal): Promise<Changes | undefined>;
  /** What MCP servers offer for reading. */
  resources(): readonly ResourceAttachment[];
  /** The text of one, bounded. Throws a `UserError` or a `ToolError` where it can't be read. */
  readResource(resource: ResourceAttachment, signal: AbortSignal): Promise<string>;
  /** Agents that work can be handed to. */
  agents(): readonly { name: string; description: string }[];
}
