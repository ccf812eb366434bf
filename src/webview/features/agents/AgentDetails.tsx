import { t } from "@vscode/l10n";
import type { TreeNode } from "../../../agent/types.ts";
import { agentName } from "../../model/agentStatus.ts";
import { delegatedTo } from "../../model/delegated.ts";
import type { Store } from "../../shell/store.ts";
import { formatCost, formatTokens, tokenCount } from "../../text/format.ts";
import { visible } from "../../text/visible.ts";
import { ClippedText } from "../../ui/ClippedText.tsx";
import { Elapsed } from "../../ui/Elapsed.tsx";
import { LinkButton } from "../../ui/LinkButton.tsx";
import { BudgetRow } from "../budget/BudgetRow.tsx";
import { gaugeReading } from "../gauge/gauge.ts";

export interface AgentDetailsProps {
  agentId: string;
  store: Store;
}

/** What a row of the tree opens to: all that is known of one agent. */
export function AgentDetails({ agentId, store }: AgentDetailsProps) {
  const tree = store.tree.value;
  const node = tree.nodes[agentId];
  if (node === undefined) return null;
  const delegated = delegatedTo(tree, node);
  const own = gaugeReading(node, store.hostState.value.contexts[agentId], undefined);
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a field set.
    <div class="agent-details" role="group" aria-label={t("Details of {0}", agentName(node.meta))}>
      <dl>
        <Fact name={t("Model")} value={visible(node.meta.model ?? "")} />
        <dt>{t("Time")}</dt>
        <dd>
          <Elapsed node={node} timing={store.timing} />
        </dd>
        <Fact name={t("Tokens")} value={spentText(node)} />
        <dt>{t("Context")}</dt>
        <dd>
          {own.window === undefined ? t("{0} tokens", formatTokens(own.tokens)) : own.text} · {own.percent} %
          <ContextBar percent={own.percent} />
        </dd>
        {delegated !== undefined && <LongFact name={t("Brief")} value={delegated.brief} />}
        {delegated?.answer !== undefined && <LongFact name={t("Answer")} value={delegated.answer} />}
      </dl>
      <BudgetRow node={node} store={store} />
      <div class="detail-actions">
        <LinkButton onClick={() => store.post({ type: "copyTranscript", agentId })}>{t("Copy transcript")}</LinkButton>
        <LinkButton onClick={() => store.post({ type: "showTrace" })}>{t("Show trace")}</LinkButton>
      </div>
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  if (value === "") return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function LongFact({ name, value }: { name: string; value: string }) {
  if (value === "") return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <ClippedText text={value} />
      </dd>
    </>
  );
}

/** The words beside it say the same. */
function ContextBar({ percent }: { percent: number }) {
  return (
    <svg class="context-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="room" width="100" height="4" />
      <rect class="filled" width={percent} height="4" />
    </svg>
  );
}

function spentText({ own, total, children }: TreeNode): string {
  const words = (usage: TreeNode["own"]) =>
    [formatTokens(tokenCount(usage)), formatCost(usage.cost) ?? ""].filter((word) => word !== "").join(" · ");
  return children.length === 0 ? words(own) : t("{0}, with its agents {1}", words(own), words(total));
}
