import type { AgentMessage, AgentTree, TreeNode } from "../../../agent/types.ts";
import { type FileEdit, fileEditsIn } from "../../../protocol/fileEdits.ts";
import type { WrittenEdit } from "../../../protocol/hostEvents.ts";
import { agentTitle } from "../../model/agents.ts";
import type { EarlierRun, Run } from "../../model/runs.ts";
import { usageSince } from "../../model/usage.ts";
import { totalTokens } from "../../text/format.ts";

/** A file that agents of a run have changed. */
interface ChangedFile extends Pick<FileEdit, "path" | "change" | "added" | "removed"> {
  movedTo: string | undefined;
  agents: { id: string; title: string }[];
}

/** What a run has come to. */
export interface WorkOfRun {
  files: ChangedFile[];
  added: number;
  removed: number;
  tokens: number;
  /** USD */
  cost: number;
  /** Sub-agents of the run. */
  agents: { id: string; title: string }[];
  /** The message of the user's that began it; undefined where that was rewound. */
  messageId: string | undefined;
}

/** A run of the root agent, from the results of all its agents. */
export function workOfRun(
  tree: AgentTree,
  root: TreeNode,
  run: Run | EarlierRun,
  written: readonly WrittenEdit[] = [],
): WorkOfRun {
  const { total, until } = "until" in run ? run : { total: root.total, until: Number.POSITIVE_INFINITY };
  const isIn = (time: number) => time >= run.startedAt && time < until;
  const files = new Map<string, ChangedFile>();
  const agents: WorkOfRun["agents"] = [];
  for (const node of Object.values(tree.nodes)) {
    const { meta, messages, startedAt } = node;
    const agent = { id: meta.id, title: agentTitle(meta) };
    if (meta.depth > 0 && isIn(startedAt)) agents.push(agent);
    for (const edit of editsIn(messages, isIn)) addEdit(files, edit, agent);
    // After a reload, the messages of a sub-agent are here only when it is opened.
    const unread = meta.depth > 0 && isIn(startedAt) && !messages.some(({ role }) => role === "toolResult");
    for (const edit of unread ? written.filter(({ agentId }) => agentId === meta.id) : []) {
      for (const file of edit.files) addEdit(files, writtenAs(file), agent);
    }
  }
  const used = usageSince(total, run.before);
  const all = [...files.values()];
  return {
    files: all,
    added: all.reduce((sum, file) => sum + file.added, 0),
    removed: all.reduce((sum, file) => sum + file.removed, 0),
    ...{ tokens: totalTokens(used), cost: used.cost, agents },
    messageId: firstMessage(root.messages, run.after),
  };
}

function editsIn(messages: readonly AgentMessage[], isIn: (time: number) => boolean): FileEdit[] {
  return messages.flatMap((message) => {
    if (message.role !== "toolResult" || !isIn(message.timestamp)) return [];
    return fileEditsIn(message.details).filter(({ accepted }) => accepted > 0);
  });
}

function writtenAs({ path, change, movedFrom, hunks }: WrittenEdit["files"][number]): Parameters<typeof addEdit>[1] {
  return {
    ...(movedFrom === undefined ? { path } : { path: movedFrom, movedTo: path }),
    change,
    added: hunks.reduce((sum, { added }) => sum + added, 0),
    removed: hunks.reduce((sum, { removed }) => sum + removed, 0),
  };
}

/** What several calls did to one file is one change. */
function addEdit(
  files: Map<string, ChangedFile>,
  edit: Pick<FileEdit, "path" | "change" | "movedTo" | "added" | "removed">,
  agent: ChangedFile["agents"][number],
): void {
  const { path, change, movedTo, added, removed } = edit;
  const known = files.get(path);
  const isKnownAgent = known?.agents.some(({ id }) => id === agent.id) === true;
  files.set(path, {
    path,
    // A new file that was changed afterwards is a new one.
    change: known?.change === "add" && change === "update" ? "add" : change,
    movedTo: movedTo ?? known?.movedTo,
    added: (known?.added ?? 0) + added,
    removed: (known?.removed ?? 0) + removed,
    agents: isKnownAgent ? known.agents : [...(known?.agents ?? []), agent],
  });
}

function firstMessage(messages: readonly AgentMessage[], after: string | undefined): string | undefined {
  const start = after === undefined ? 0 : messages.findIndex(({ id }) => id === after) + 1;
  return (messages.slice(start).find(({ role }) => role === "user") ?? messages.findLast(({ role }) => role === "user"))
    ?.id;
}
