import { t } from "@vscode/l10n";
import * as z from "zod";
import type { ToolResult } from "../../agent/vocabulary/messages.ts";
import type { ToolContext } from "../../agent/vocabulary/tools.ts";
import { commandFiles } from "../approvals/commandVersion.ts";
import type { NotCovered } from "../changes/rewind/commandChanges.ts";
import { onAbort } from "../common/abort.ts";
import { ToolError } from "../common/userError.ts";
import type { HostGate } from "../sandbox/hostProxy.ts";
import type { NamedCommand } from "../terminal/commands.ts";
import { panelOutput } from "../terminal/panelOutput.ts";
import type { CommandEnd } from "../terminal/runningCommand.ts";
import { shellText } from "../terminal/shell.ts";
import { changedElsewhereText, endText, notCoveredText, outputText, sandboxFailureText } from "./commandText.ts";
import type { CommandDependencies } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";
import { requestOf } from "./fetchUrl.ts";
import { declined, orRefusal } from "./refusal.ts";

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 3_600_000;

const schema = z.object({
  command: z.string().describe("The command line."),
  cwd: z.string().optional().describe("Folder to run in. Default: the (first) workspace folder."),
  timeout_ms: z
    .int()
    .min(1)
    .max(maxTimeoutMs)
    .optional()
    .describe(`Ends it after this time. Default: ${defaultTimeoutMs}; in the background none.`),
  background: z.boolean().optional().describe("Return an id at once and let it run on."),
  outside_sandbox: z
    .boolean()
    .optional()
    .describe("Run it with all the user's rights. Asks the user: only where the sandbox made it fail."),
});
type Arguments = z.infer<typeof schema>;

/** Runs a command that the user has allowed. */
export const runCommandTool = defineEditorTool(
  { name: "run_command", access: "execute", kind: "command" },
  (dependencies: CommandDependencies) => {
    const {
      askPermission,
      commands,
      folder,
      changes,
      sandbox,
      shell = shellText(process.platform, process.env.SHELL),
    } = dependencies;
    return {
      label: t("Run command"),
      description: `Runs a command in a new ${shell}, once the user allows it: for builds, tests, git and other programs, not to read, search or edit files. It gets no terminal and no input. Where there is a sandbox, it runs in that: it writes in the workspace and in /tmp only, reaches hosts by http and https alone, each once the user allows it, and no other command. Output and errors come joined; of a long output the start and the end, with the path to read the rest. What it leaves running ends with it: use background for servers and watchers, then read_output and stop_command.`,
      schema,
      execute: (args, context) => orRefusal(() => askAndRun(args, context)),
    };

    async function askAndRun(args: Arguments, context: ToolContext, isEdited = false): Promise<ToolResult> {
      refuseUnrunnable(args.command);
      const cwd = await folder(args.cwd);
      const { agent, callId, signal } = context;
      const confined = await sandbox?.choose(args.outside_sandbox === true);
      const filesNow = () => commandFiles(args.command, cwd.absolute, cwd.root);
      const known = confined === "inside" ? undefined : await filesNow();
      signal.throwIfAborted();
      const answer = await askPermission(
        {
          kind: "command",
          command: args.command,
          ...{ cwd: cwd.path, folder: cwd.absolute },
          ...(known && { version: known.version, runs: known.files }),
          ...(args.background === true && { background: true }),
          ...(confined !== undefined && { sandbox: confined }),
          ...(isEdited ? { isEdited } : { mayEdit: true }),
          ...{ agent, callId, toolName: "run_command" },
        },
        signal,
      );
      signal.throwIfAborted();
      if (!answer.allowed) return declined("command", answer);
      const { command = args.command } = answer;
      if (!isEdited && command !== args.command) return askAndRun({ ...args, command }, context, true);
      // A folder on the way may have become a link while the user was asked.
      const now = await folder(args.cwd);
      if (now.absolute !== cwd.absolute) {
        throw new ToolError(`${cwd.path} is another folder than the one that was asked for. Nothing ran. Try again.`);
      }
      if (known !== undefined && known.version !== (await filesNow()).version) {
        throw new ToolError("A file that it runs changed while the user was asked. Nothing ran. Try again.");
      }
      const hosts: HostGate = {
        allow: async (address, ending) =>
          (await askPermission(requestOf(address, context, "run_command"), ending)).allowed,
      };
      const timeoutMs = args.timeout_ms ?? (args.background === true ? undefined : defaultTimeoutMs);
      const endChanges = args.background === true ? undefined : await changes?.begin(agent.id);
      const start = async () => {
        signal.throwIfAborted();
        return commands.start({
          command: args.command,
          folder: now.absolute,
          agentId: agent.id,
          callId,
          isBackground: args.background === true,
          isSandboxed: confined === "inside",
          ...(confined === "inside" && (await mayNeedHosts(args.command)) && { hosts }),
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
        });
      };
      const started = await start().catch(async (error: unknown) => {
        // What is begun is ended, also where nothing runs.
        await endChanges?.();
        throw error;
      });
      const running = { endChanges, folder: args.cwd === undefined ? undefined : cwd.path, sandbox };
      const result =
        args.background === true ? inBackground(started) : await toItsEnd(started, args, { ...context, ...running });
      return isEdited ? withEdited(args.command, result) : result;
    }
  },
);

/** The result of a command that the user wrote in place of the one that was asked for. */
function withEdited(editedCommand: string, { content, details, ...result }: CommandResult): CommandResult {
  const note = `The user changed the command before it ran. This ran:\n${editedCommand}\n`;
  return { ...result, content: `${note}\n${content}`, details: { ...details, editedCommand } };
}

interface CommandResult extends ToolResult {
  content: string;
  details: Readonly<Record<string, unknown>>;
}

/** Not what only reads files: it starts sooner without. What judges is loaded with the first command. */
async function mayNeedHosts(command: string): Promise<boolean> {
  const { defaultCommandRules, judgeCommand } = await import("../approvals/commands.ts");
  return (await judgeCommand(command, defaultCommandRules)).verdict !== "allow";
}

/** What runs must be what was shown: text that has no bytes of its own would become something else on the way. */
function refuseUnrunnable(command: string): void {
  if (command.trim() === "") throw new ToolError("command is empty. Give the command to run.");
  if (command.includes("\0") || !command.isWellFormed()) {
    throw new ToolError("command holds characters that no shell can be given. Write it without them.");
  }
}

function inBackground({ id }: NamedCommand): CommandResult {
  const content = `Started in the background as ${id}. See what it prints with read_output, end it with stop_command. What it changes in files, a rewind can't restore.`;
  return { content, details: { id } };
}

interface RunContext extends ToolContext {
  endChanges: (() => Promise<NotCovered>) | undefined;
  /** Where it runs, when that was asked for. */
  folder: string | undefined;
  sandbox: CommandDependencies["sandbox"];
}

async function toItsEnd(
  command: NamedCommand,
  { command: text }: Arguments,
  context: RunContext,
): Promise<CommandResult> {
  const { output } = command;
  const live = panelOutput({ emit: (piece) => context.output(piece), tail: (bytes) => output.tail(bytes) });
  const unfollow = output.follow((piece) => live.write(piece));
  const listening = onAbort(context.signal, () => void command.stop("stopped"));
  try {
    const end = await command.ended;
    live.end();
    const notCovered = await context.endChanges?.();
    const printed = await outputText(output);
    const notes = [
      notCovered === undefined ? "" : notCoveredText(notCovered),
      changedElsewhereText(notCovered?.changed ?? [], context.folder),
      sandboxFailureText(end, printed, { canLeave: context.sandbox?.canLeave() !== false }),
    ];
    return {
      content: [endText(end), printed, ...notes.filter((note) => note !== "")].join("\n"),
      details: { command: text, ...detailsOf(command, end) },
      isError: end.cause !== "exit" || end.exitCode !== 0,
    };
  } finally {
    unfollow();
    listening.dispose();
  }
}

function detailsOf({ id, output }: NamedCommand, { exitCode, signal, durationMs, cause, sandboxed }: CommandEnd) {
  const file = output.isSpilled ? { output: output.name } : {};
  const inside = sandboxed === undefined ? {} : { sandboxed: true };
  return { id, cause, exitCode, signal, durationMs: Math.round(durationMs), bytes: output.length, ...file, ...inside };
}
