import { t } from "@vscode/l10n";
import type { SlashCommand } from "../../../../protocol/suggestions.ts";

/** What decides which commands there are. */
export interface CommandFacts {
  /** Commands of the editor that are registered now. */
  isRegistered(command: string): boolean;
  canCompact: boolean;
  hasRepository: boolean;
  folderOpen: boolean;
}

/** The editor's commands behind a slash; the panel does the others by intents of its own. */
export const editorCommands: Readonly<Record<string, string>> = {
  history: "arbor.openHistory",
  export: "arbor.exportChat",
};

/** The commands that work here and now, in the order in which they are offered. */
export function listSlashCommands(facts: CommandFacts): SlashCommand[] {
  const { isRegistered, canCompact, hasRepository, folderOpen } = facts;
  const entry = (name: string, description: string, takesText = false) => ({ name, description, takesText });
  return [
    ...(folderOpen
      ? [
          entry("explain", t("Explain this code"), true),
          entry("fix", t("Fix the problems"), true),
          entry("tests", t("Write tests for this code"), true),
        ]
      : []),
    ...(hasRepository ? [entry("review", t("Review my changes"), true)] : []),
    entry("new", t("Start a new chat")),
    entry("stop", t("Stop all agents")),
    entry("rewind", t("Back to before the last message")),
    ...(canCompact ? [entry("compact", t("Summarize to make room"))] : []),
    entry("plan", t("Plan only, change nothing"), true),
    entry("model", t("Choose another model")),
    ...Object.entries(editorCommands)
      .filter(([, command]) => isRegistered(command))
      .map(([name]) => entry(name, name === "history" ? t("Show earlier chats") : t("Export this chat"))),
  ];
}
