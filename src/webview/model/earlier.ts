import { emptyTree, foldTree } from "../../agent/tree.ts";
import type { AgentTree, TreeNode } from "../../agent/types.ts";
import type { LogEntry } from "../../protocol/messages.ts";

/** The tree with what lies before its log: older messages in front of the newer, and agents that had ended by then. */
export function withEarlier(tree: AgentTree, entries: readonly LogEntry[]): AgentTree {
  const earlier = foldTree(
    emptyTree(),
    entries.flatMap((entry) => ("agent" in entry ? [entry.agent] : [])),
  );
  const nodes = { ...tree.nodes };
  for (const node of Object.values(earlier.nodes)) {
    const known = nodes[node.meta.id];
    nodes[node.meta.id] = known === undefined ? ended(node) : joined(node, known);
  }
  const roots: string[] = [];
  for (const id of new Set([...earlier.roots, ...tree.roots])) {
    const parentId = nodes[id]?.meta.parentId;
    const parent = parentId === undefined ? undefined : nodes[parentId];
    if (parent === undefined) roots.push(id);
    else if (!parent.children.includes(id)) {
      // It was a root only because its parent came earlier.
      nodes[parent.meta.id] = { ...parent, children: [id, ...parent.children] };
    }
  }
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
