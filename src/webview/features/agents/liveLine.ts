import { t } from "@vscode/l10n";
import type { AgentMessage, ToolActivity, TreeNode } from "../../../agent/types.ts";
import { type AgentStatus, statusWords } from "../../model/agentStatus.ts";
import { folderAndName, labelOf, targetOf } from "../../text/target.ts";
import { oneLine } from "../../text/visible.ts";

const longest = 100;

/** What an agent does now in a few words, or what came of it. */
export function liveLine(node: TreeNode, status: AgentStatus, waitingFor: string = statusWords.waiting): string {
  switch (status) {
    case "waiting":
      return waitingFor;
    case "running":
      return latestActivity(node);
    case "error":
      // Of the root agent a notice tells, or its transcript does.
      return node.error === undefined || node.meta.depth === 0
        ? statusWords.error
        : oneLine(node.error.message, longest);
    case "aborted":
    case "limit":
      return statusWords[status];
    case "done":
      return summary(node);
    default:
      status satisfies never;
      return "";
  }
}

/** The running tool, else the newest words, else the tool that came last. */
function latestActivity(node: TreeNode): string {
  const tools = Object.values(node.tools);
  const running = tools.findLast((tool) => tool.status === "running");
  if (running !== undefined) return toolLine(running);
  const newest = node.messages.findLast((message) => message.role !== "toolResult");
  const words = newest === undefined ? "" : lastWords(newest);
  if (words !== "") return words;
  const last = tools.at(-1);
  return last === undefined ? t("starting") : toolLine(last);
}

/** Of a file only its name: a row has room for little more. */
function toolLine(tool: Pick<ToolActivity, "toolName" | "label" | "args">): string {
  const [, name] = folderAndName(targetOf(tool.args));
  return oneLine(`${labelOf(tool.toolName, tool.label)} ${name}`, longest);
}

/** Of an answer that is being written, the line that grows is the news. */
function lastWords(message: AgentMessage): string {
  if (message.role !== "assistant") return "";
  const part = message.content.findLast((candidate) => candidate.type === "text" && candidate.text.trim() !== "");
  if (part?.type !== "text") return "";
  const tail = part.text.slice(-400).trimEnd();
  return oneLine(plainLine(tail.slice(tail.lastIndexOf("\n") + 1)), longest);
}

/** Without the marks of lists, headings, code and emphasis. */
function plainLine(line: string): string {
  return line.replace(/^\s*(?:[#>]+|[-*+]|\d+\.)\s+/, "").replace(/\*\*|`/g, "");
}

function summary(node: TreeNode): string {
  // What the calls did is no longer known after a rewind and its undo; that there were some is.
  const named = node.messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const inMessages = named.filter((part) => part.type === "toolCall").length;
  const calls = Math.max(Object.keys(node.tools).length, inMessages);
  return calls === 0 ? "" : calls === 1 ? t("1 tool") : t("{0} tools", calls);
}
