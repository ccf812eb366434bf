import { BudgetRow } from "../features/budget/BudgetRow.tsx";
import { ChangesView } from "../features/changes/ChangesView.tsx";
import type { WorkModelOptions } from "../features/changes/workModel.ts";
import { CompareView } from "../features/compare/CompareView.tsx";
import { RunAgain } from "../features/compare/RunAgain.tsx";
import type { PanelModel } from "./panel.ts";

/** What is shown in place of the conversation. */
export function WorkView(work: WorkModelOptions) {
  return work.view.value === "comparisons" ? <CompareView {...work} /> : <ChangesView {...work} />;
}

/** What the details of an agent have from other features. */
export function AgentExtras({ agentId, panel }: { agentId: string; panel: PanelModel }) {
  const { tree, budget, work } = panel;
  const node = tree.node(agentId);
  // The comparison needs the room of the details.
  const compare = () => {
    work.view.value = "comparisons";
    tree.opened.value = undefined;
  };
  return (
    <>
      <BudgetRow node={node} model={budget} />
      {node !== undefined && <RunAgain key={agentId} node={node} chat={work.chat} compare={compare} />}
    </>
  );
}
