import type { TreeNode } from "../../../agent/types.ts";
import type { Store } from "../../shell/store.ts";
import { useElapsed } from "../../ui/Elapsed.tsx";
import { RowText } from "./RowText.tsx";

/** How long the root agent's work takes, in its row. */
export function RootTime({ agentId, store }: { agentId: string; store: Store }) {
  const node = store.tree.value.nodes[agentId];
  return node === undefined ? null : <Time node={node} store={store} />;
}

function Time({ node, store }: { node: TreeNode; store: Store }) {
  return <RowText class="row-time" text={useElapsed(node, store.timing)} />;
}
