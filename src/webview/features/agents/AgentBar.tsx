import { t } from "@vscode/l10n";
import type { TreeNode } from "../../../agent/types.ts";
import { agentName } from "../../model/agentStatus.ts";
import type { Store } from "../../shell/store.ts";
import { formatCost, formatDuration, formatTokens, tokenCount } from "../../text/format.ts";
import { visible } from "../../text/visible.ts";
import { Icon } from "../../ui/Icon.tsx";
import { LinkButton } from "../../ui/LinkButton.tsx";

/** Above a sub-agent's transcript: whose it is, what it took, and the way back. */
export function AgentBar({ store }: { store: Store }) {
  const node = store.selected.value;
  if (node === undefined || node.meta.depth === 0) return null;
  const ancestors = lineage(node, store);
  return (
    <nav class="agent-bar" aria-label={t("Agent shown")}>
      <span class="lineage">
        {ancestors.map((ancestor) => (
          <span key={ancestor.meta.id} class="lineage-step">
            <LinkButton onClick={() => store.select(ancestor.meta.id)}>{agentName(ancestor.meta)}</LinkButton>
            <Icon name="chevron-right" />
          </span>
        ))}
        <strong>{agentName(node.meta)}</strong>
      </span>
      <span class="agent-facts">{facts(node)}</span>
    </nav>
  );
}

function lineage(node: TreeNode, store: Store): TreeNode[] {
  const path: TreeNode[] = [];
  let parentId = node.meta.parentId;
  while (parentId !== undefined && path.length < 20) {
    const parent = store.agent(parentId);
    if (parent === undefined) break;
    path.unshift(parent);
    parentId = parent.meta.parentId;
  }
  return path;
}

function facts(node: TreeNode): string {
  const subtree = tokenCount(node.total);
  const own = tokenCount(node.own);
  const tokens = own === 0 && subtree === 0 ? "" : t("{0} tokens", formatTokens(own));
  const below = subtree > own ? t("{0} with its agents", formatTokens(subtree)) : "";
  const cost = formatCost(node.total.cost) ?? "";
  const time = node.endedAt === undefined ? "" : formatDuration(node.endedAt - node.startedAt);
  return [visible(node.meta.model ?? ""), tokens, below, cost, time].filter((fact) => fact !== "").join(" · ");
}
