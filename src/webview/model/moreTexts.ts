import type { AgentTree } from "../../agent/types.ts";
import type { HostMessage, LogEntry, MoreText } from "../../protocol/messages.ts";

/** All entries of a post, in order; undefined when it goes on with a text that is not here. */
export function entriesIn(
  { entries, texts }: Extract<HostMessage, { type: "entries" }>,
  { nodes }: AgentTree,
): readonly LogEntry[] | undefined {
  if (texts === undefined) return entries;
  const all = [...entries];
  for (const text of texts) {
    const entry = entryOf(text, nodes);
    if (entry === undefined) return undefined;
    all.push(entry);
  }
  return entries.length === 0 ? all : all.sort((a, b) => a.seq - b.seq);
}

/** Of what is left out, the fold of a text delta needs nothing. */
function entryOf(
  [seq, agentSeq, id, messageId, index, delta]: MoreText,
  nodes: AgentTree["nodes"],
): LogEntry | undefined {
  const node = Object.hasOwn(nodes, id) ? nodes[id] : undefined;
  const message = node?.messages.findLast((each) => each.id === messageId);
  const part = message?.role === "assistant" ? message.content[index] : undefined;
  if (node === undefined || part === undefined || part.type === "toolCall") return undefined;
  const type = part.type === "text" ? "text_delta" : "thinking_delta";
  const unused = { sessionId: "", runId: "", timestamp: node.startedAt };
  return {
    seq,
    agent: {
      ...unused,
      agent: node.meta,
      seq: agentSeq,
      type: "message_update",
      messageId,
      delta: { type, index, delta },
    },
  };
}
