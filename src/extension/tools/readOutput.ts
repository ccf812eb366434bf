import { t } from "@vscode/l10n";
import * as z from "zod";
import type { ToolContext } from "../../agent/vocabulary/tools.ts";
import { onAbort } from "../common/abort.ts";
import type { NamedCommand } from "../terminal/commands.ts";
import { panelOutput } from "../terminal/panelOutput.ts";
import { commandOf, endText, outputText } from "./commandText.ts";
import type { CommandDependencies } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";
import { orRefusal } from "./refusal.ts";

const maxWaitMs = 600_000;

const schema = z.object({
  id: z.string().describe("Id that run_command gave."),
  wait_ms: z.int().min(0).max(maxWaitMs).optional().describe("Wait so long for it to end."),
  from_start: z.boolean().optional().describe("All output, not only what is new."),
});

/** What a background command has printed since it was last asked for. */
export const readOutputTool = defineEditorTool(
  { name: "read_output", access: "none", kind: "command" },
  ({ commands }: CommandDependencies) => {
    // Agents may share a command: each gets what is new to itself.
    const seen = new WeakMap<NamedCommand, Map<string, number>>();
    return {
      label: t("Read output"),
      description:
        "Reads what a command in the background printed since you last asked, and whether it still runs. A long output comes as start and end, with the path to read all of it.",
      schema,
      execute: ({ id, wait_ms = 0, from_start = false }, context) =>
        orRefusal(async () => {
          const command = commandOf(commands, id);
          const read = seen.get(command) ?? new Map<string, number>();
          seen.set(command, read);
          if (wait_ms > 0) await untilEnded(command, wait_ms, context);
          context.signal.throwIfAborted();
          const { output } = command;
          // The end first: what comes between the two then comes the next time and is not lost.
          const state = command.isRunning ? "It is running." : endText(await command.ended);
          const from = from_start ? 0 : (read.get(context.agent.id) ?? 0);
          const text = await outputText(output, from);
          read.set(context.agent.id, output.length);
          return { content: `${state}\n${text}`, details: { id, running: command.isRunning, bytes: output.length } };
        }),
    };
  },
);

/** Waits while the panel sees what is printed; an abort ends the waiting, not the command. */
async function untilEnded(command: NamedCommand, waitMs: number, context: ToolContext): Promise<void> {
  const { output } = command;
  const live = panelOutput({ emit: (piece) => context.output(piece), tail: (bytes) => output.tail(bytes) });
  const unfollow = output.follow((piece) => live.write(piece));
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  const listening = onAbort(context.signal, resolve);
  try {
    await Promise.race([promise, command.ended]);
  } finally {
    clearTimeout(timer);
    listening.dispose();
    unfollow();
    live.end();
  }
}
