import { emptyTree, reduceTree } from "../../agent/tree.ts";
import type { AgentTree, TreeNode } from "../../agent/types.ts";
import type { LogEntry } from "../../protocol/messages.ts";

/** The tree with what lies before its log: older messages in front of the newer, and agents that had ended by then. */
export function withEarlier(tree: AgentTree, entries: readonly LogEntry[]): AgentTree {
  const earlier = entries.reduce(
    (folded, entry) => ("agent" in entry ? reduceTree(folded, entry.agent) : folded),
    emptyTree(),
  );
  const nodes = { ...tree.nodes };
  for (const node of Object.values(earlier.nodes)) {
    const known = nodes[node.meta.id];
    nodes[node.meta.id] = known === undefined ? ended(node) : joined(node, known);
  }
  // What was a root only because its parent came earlier stands below it now.
  const roots = [...new Set([...earlier.roots, ...tree.roots])].filter((id) => {
    const parentId = nodes[id]?.meta.parentId;
    return parentId === undefined || nodes[parentId] === undefined;
  });
  return { nodes, roots, lastSeq: tree.lastSeq };
}

/** The later part tells how it stands; both tell what was said. */
function joined(earlier: TreeNode, later: TreeNode): TreeNode {
  const known = new Set(later.messages.map(({ id }) => id));
  return {
    ...later,
    messages: [...earlier.messages.filter(({ id }) => !known.has(id)), ...later.messages],
    tools: { ...earlier.tools, ...later.tools },
    children: [...new Set([...earlier.children, ...later.children])],
  };
}

/** Its end lies in the part that is shown, if it was told at all: nothing of it runs. */
function ended(node: TreeNode): TreeNode {
  return node.status === "running" ? { ...node, status: "done" } : node;
}
