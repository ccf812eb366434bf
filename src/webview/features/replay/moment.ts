import { t } from "@vscode/l10n";
import type { AgentTree } from "../../../agent/types.ts";
import { forkMoment } from "../../../protocol/forkMoment.ts";
import type { HostEvent } from "../../../protocol/hostEvents.ts";
import type { LogEntry } from "../../../protocol/messages.ts";
import { messageText } from "../../../protocol/messageTexts.ts";
import { agentTitle } from "../../model/agents.ts";
import { formatDuration } from "../../text/format.ts";
import { oneLine, visible } from "../../text/visible.ts";
import type { ReplayLog } from "./replayLog.ts";

/** Letters. */
const maxSubject = 80;

/** What happened at a moment: who did what. Empty before the first event. */
export function momentText(entry: LogEntry | undefined, tree: AgentTree): string {
  if (entry === undefined) return "";
  if ("host" in entry) return hostText(entry.host, tree);
  const agent = agentTitle(tree.nodes[entry.agent.agent.id]?.meta ?? entry.agent.agent);
  return t("{0}: {1}", agent, agentText(entry));
}

function agentText({ agent: event }: Extract<LogEntry, { agent: unknown }>): string {
  switch (event.type) {
    case "agent_start":
      return t("starts");
    case "agent_end":
      return t("ends");
    case "turn_start":
      return t("Model request");
    case "tool_execution_start":
      return visible(event.label ?? event.toolName);
    case "tool_execution_end":
      return t("result of {0}", visible(event.toolName));
    case "agent_spawned":
      return t("starts {0}", agentTitle({ ...event.agent, ...event.child }));
    case "message_end":
      return event.message.role === "assistant"
        ? t("answer")
        : event.message.role === "user"
          ? t("message “{0}”", oneLine(messageText(event.message), maxSubject))
          : t("result");
    default:
      return t("goes on");
  }
}

function hostText(event: HostEvent, tree: AgentTree): string {
  const title = (agentId: string, path: readonly string[]) => {
    const meta = tree.nodes[agentId]?.meta;
    return meta === undefined ? visible(path.at(-1) ?? "") : agentTitle(meta);
  };
  switch (event.type) {
    case "approval_requested": {
      const { agentId, agentPath, request, files, toolName } = event.approval;
      const subject = oneLine(request?.text ?? files[0]?.path ?? toolName, maxSubject);
      return t("{0}: {1}", title(agentId, agentPath), t("waits for you: {0}", subject));
    }
    case "approval_closed":
      return t("Answered");
    case "question_asked": {
      const { agentId, agentPath, text } = event.question;
      return t("{0}: {1}", title(agentId, agentPath), t("waits for you: {0}", oneLine(text, maxSubject)));
    }
    case "edit_written":
      return t(
        "{0}: {1}",
        title(event.agentId, event.agentPath),
        t("writes {0}", oneLine(event.files.map(({ path }) => path).join(", "), maxSubject)),
      );
    default:
      return t("The chat goes on");
  }
}

/** Which of how many, and how long after the beginning. */
export function positionText(log: ReplayLog, position: number): string {
  const of = t("{0} of {1}", position, log.count);
  if (log.start === undefined || position === 0) return of;
  return t("{0}, after {1}", of, formatDuration(log.timeAt(position) - log.start));
}

/** Where a copy of the chat would end, if it can be made. */
export function forkText(log: ReplayLog, position: number): string | undefined {
  const moment = forkMoment(log.entries, position);
  if (moment === undefined) return undefined;
  if (!moment.isInRun) return t("Fork from here: new chat with everything until this moment");
  if (moment.message === undefined) return t("An agent works at this moment: the new chat ends before it started");
  const text = oneLine(messageText(moment.message), maxSubject);
  return t("An agent works at this moment: the new chat ends before “{0}”", text);
}
