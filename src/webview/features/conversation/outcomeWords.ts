import { t } from "@vscode/l10n";
import type { CommandOutcome } from "../../../protocol/hostEvents.ts";
import type { AgentStatus } from "../../model/agentStatus.ts";
import { visible } from "../../text/visible.ts";

/** How a background command ended, in a few words. */
export function outcomeWords({ cause, exitCode, signal }: CommandOutcome): string {
  switch (cause) {
    case "timeout":
      return t("timed out");
    case "stopped":
      return t("stopped");
    case "user":
      return t("stopped by you");
    case "closed":
      return t("ended with the chat");
    case "exit":
      return exitCode === undefined
        ? t("ended by {0}", visible(signal ?? t("a signal")))
        : t("exit code {0}", exitCode);
    default:
      cause satisfies never;
      return "";
  }
}

/** As the icon shows it. */
export function outcomeStatus({ cause, exitCode }: CommandOutcome): AgentStatus {
  if (cause === "exit") return exitCode === 0 ? "done" : "error";
  return cause === "timeout" ? "error" : "aborted";
}
