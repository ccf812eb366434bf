import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { PlanItem } from "../../../protocol/hostEvents.ts";
import type { Store } from "../../shell/store.ts";
import { oneLine, visibleLines } from "../../text/visible.ts";
import { FoldHead } from "../../ui/FoldHead.tsx";
import { Icon } from "../../ui/Icon.tsx";

/** Characters of the step in the head. */
const longest = 200;

const marks: Readonly<Record<PlanItem["status"], { icon: string; words: string }>> = {
  pending: { icon: "circle-large-outline", words: t("to do") },
  in_progress: { icon: "record", words: t("in progress") },
  completed: { icon: "pass-filled", words: t("done") },
};

/** The plan of the agent that is shown, or else the root agent's: what it works on, and on demand all of it. */
export function Plan({ store }: { store: Store }) {
  const isOpen = useSignal(false);
  const { plans } = store.hostState.value;
  const items = plans[store.selected.value?.meta.id ?? ""] ?? plans[store.root.value?.meta.id ?? ""];
  if (items === undefined) return null;
  const done = items.filter((item) => item.status === "completed").length;
  const current =
    items.find((item) => item.status === "in_progress") ?? items.find((item) => item.status === "pending");
  return (
    <section class="plan" aria-label={t("Plan")}>
      <FoldHead isOpen={isOpen} class="plan-head">
        <strong>{t("Plan {0}/{1}", done, items.length)}</strong>
        {!isOpen.value && current !== undefined && <span class="live-line">{oneLine(current.text, longest)}</span>}
      </FoldHead>
      {isOpen.value && (
        <ol class="plan-items">
          {items.map((item, index) => (
            <li key={index} class="plan-item" data-status={item.status}>
              <Icon name={marks[item.status]?.icon ?? "circle-large-outline"} />
              <span class="hidden-words">{marks[item.status]?.words}: </span>
              <span>{visibleLines(item.text)}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
