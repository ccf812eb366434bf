import { t } from "@vscode/l10n";
import type { AgentMessage, ToolActivity, TreeNode } from "../../../agent/types.ts";
import { agentTitle, type ShownStatus, statusTexts } from "../../model/agents.ts";
import type { Activity } from "../../model/chat.ts";
import { plural } from "../../text/format.ts";
import { folderAndName, labelOf, targetOf } from "../../text/target.ts";
import { oneLine, plainLine } from "../../text/visible.ts";

const maxLength = 100;

export interface LiveState {
  status: ShownStatus;
  waitingFor?: string | undefined;
  /** What it writes, where its messages do not say. */
  writes?: Activity[string] | undefined;
  /** The agents it created that are at work. Default: none. */
  working?: readonly TreeNode[];
}

/** What an agent does now, in short, or its result. */
export function liveLine(node: TreeNode, state: LiveState): string {
  const { status, waitingFor = statusTexts.waiting } = state;
  switch (status) {
    case "waiting":
      return waitingFor;
    case "running":
      return latestActivity(node, state);
    case "error":
      // The root agent's error is in a notice or in its transcript.
      return node.error === undefined || node.meta.depth === 0
        ? statusTexts.error
        : oneLine(node.error.message, maxLength);
    case "aborted":
    case "limit":
      return statusTexts[status];
    case "done":
      return summary(node);
    default:
      status satisfies never;
      return "";
  }
}

/** The running tool, else the newest text, else the tool that came last. */
function latestActivity(node: TreeNode, { writes, working = [] }: LiveState): string {
  const tools = Object.values(node.tools);
  const running = tools.findLast((tool) => tool.status === "running");
  if (running !== undefined) {
    const agents = working.filter(({ meta }) => meta.toolCallId === running.callId);
    return agents.length === 0 ? toolLine(running) : waitsFor(agents);
  }
  if (writes?.kind === "thinking") return t("thinking");
  if (writes !== undefined && writes.text.trim() !== "") return oneLine(plainLine(writes.text), maxLength);
  const newest = node.messages.findLast((message) => message.role !== "toolResult");
  const text = newest === undefined ? "" : lastLine(newest);
  if (text !== "") return text;
  const last = tools.at(-1);
  return last === undefined ? t("starting") : toolLine(last);
}

function waitsFor(agents: readonly TreeNode[]): string {
  const [first] = agents;
  if (agents.length === 1 && first !== undefined) return oneLine(t("Waits for {0}", agentTitle(first.meta)), maxLength);
  return plural(agents.length, t("Waits for {0} agent", agents.length), t("Waits for {0} agents", agents.length));
}

/** Of a file only its name: a row has room for little more. */
function toolLine(tool: Pick<ToolActivity, "toolName" | "label" | "args">): string {
  const [, name] = folderAndName(targetOf(tool.args));
  return oneLine(`${labelOf(tool.toolName, tool.label)} ${name}`, maxLength);
}

/** Of an answer that is being written, the line that grows is the news. */
function lastLine(message: AgentMessage): string {
  if (message.role !== "assistant") return "";
  const part = message.content.findLast((candidate) => candidate.type !== "toolCall" && candidate.text.trim() !== "");
  if (part?.type === "thinking" && part === message.content.at(-1)) return t("thinking");
  if (part?.type !== "text") return "";
  const tail = part.text.slice(-400).trimEnd();
  return oneLine(plainLine(tail.slice(tail.lastIndexOf("\n") + 1)), maxLength);
}

function summary(node: TreeNode): string {
  // What the calls did is no longer known after a rewind and its undo; that there were some is.
  const named = node.messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const inMessages = named.filter((part) => part.type === "toolCall").length;
  const calls = Math.max(Object.keys(node.tools).length, inMessages);
  return calls === 0 ? "" : plural(calls, t("{0} tool", calls), t("{0} tools", calls));
}
