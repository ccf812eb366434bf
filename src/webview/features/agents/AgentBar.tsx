import { t } from "@vscode/l10n";
import type { TreeNode } from "../../../agent/types.ts";
import { agentTitle } from "../../model/agents.ts";
import { formatCost, formatDuration, formatTokens, tokensText, totalTokens } from "../../text/format.ts";
import { visible } from "../../text/visible.ts";
import { LinkButton } from "../../ui/Buttons.tsx";
import { Icon } from "../../ui/Icon.tsx";
import type { TreeModel } from "./treeModel.ts";

/** Above a sub-agent's transcript: whose it is, what it used, and the way back. */
export function AgentBar({ model }: { model: TreeModel }) {
  const node = model.selected.value;
  if (node === undefined || node.meta.depth === 0) return null;
  return (
    <nav class="agent-bar" aria-label={t("Agent shown")}>
      <span class="lineage">
        {model.ancestors.value.map((ancestor) => (
          <span key={ancestor.meta.id} class="lineage-step">
            <LinkButton onClick={() => model.select(ancestor.meta.id)}>{agentTitle(ancestor.meta)}</LinkButton>
            <Icon name="chevron-right" />
          </span>
        ))}
        <strong>{agentTitle(node.meta)}</strong>
      </span>
      <span class="agent-facts">{usageText(node)}</span>
    </nav>
  );
}

function usageText(node: TreeNode): string {
  const subtree = totalTokens(node.total);
  const own = totalTokens(node.own);
  const tokens = own === 0 && subtree === 0 ? "" : tokensText(own);
  const below = subtree > own ? t("{0} with its agents", formatTokens(subtree)) : "";
  const cost = formatCost(node.total.cost) ?? "";
  const time = node.endedAt === undefined ? "" : formatDuration(node.endedAt - node.startedAt + (node.earlierMs ?? 0));
  return [visible(node.meta.model ?? ""), tokens, below, cost, time].filter((part) => part !== "").join(" · ");
}
