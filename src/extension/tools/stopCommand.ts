import { t } from "@vscode/l10n";
import * as z from "zod";
import { commandOf, endText, outputText } from "./commandText.ts";
import type { CommandDependencies } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";
import { orRefusal } from "./refusal.ts";

const schema = z.object({ id: z.string().describe("Id that run_command gave.") });

/** Ends a background command with all that it started. */
export const stopCommandTool = defineEditorTool(
  { name: "stop_command", access: "execute", kind: "command" },
  ({ commands }: CommandDependencies) => ({
    label: t("Stop command"),
    description:
      "Ends a command in the background, with all the processes it started, and gives the end of its output.",
    schema,
    execute: ({ id }) =>
      orRefusal(async () => {
        const command = commandOf(commands, id);
        const end = await command.stop("stopped");
        return { content: `${endText(end)}\n${await outputText(command.output)}`, details: { id } };
      }),
  }),
);
