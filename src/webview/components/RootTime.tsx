import type { Store } from "../store.ts";
import { Elapsed } from "./Elapsed.tsx";

/** How long the root agent's work takes, in its row. */
export function RootTime({ agentId, store }: { agentId: string; store: Store }) {
  const node = store.tree.value.nodes[agentId];
  if (node === undefined) return null;
  return (
    <span class="row-time" aria-hidden="true">
      <Elapsed node={node} timing={store.timing} />
    </span>
  );
}
