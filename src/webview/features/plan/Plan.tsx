import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { PlanItem } from "../../../protocol/hostEvents.ts";
import { oneLine, visibleLines } from "../../text/visible.ts";
import { FoldHead } from "../../ui/FoldHead.tsx";
import { Icon } from "../../ui/Icon.tsx";

/** Characters of the step in the head. */
const maxLength = 200;

const marks: Readonly<Record<PlanItem["status"], { icon: string; text: string }>> = {
  pending: { icon: "circle-large-outline", text: t("to do") },
  in_progress: { icon: "record", text: t("in progress") },
  completed: { icon: "pass-filled", text: t("done") },
};

/** A plan: what is worked on, and on demand all of it. */
export function Plan({ items }: { items: readonly PlanItem[] }) {
  const isOpen = useSignal(false);
  const done = items.filter((item) => item.status === "completed").length;
  const current =
    items.find((item) => item.status === "in_progress") ?? items.find((item) => item.status === "pending");
  return (
    <section class="plan" aria-label={t("Plan")}>
      <FoldHead isOpen={isOpen} class="plan-head">
        <strong>{t("Plan {0}/{1}", done, items.length)}</strong>
        {!isOpen.value && current !== undefined && <span class="live-line">{oneLine(current.text, maxLength)}</span>}
      </FoldHead>
      {isOpen.value && (
        <ol class="plan-items">
          {items.map((item, index) => (
            <li key={index} class="plan-item" data-status={item.status}>
              <Icon name={marks[item.status]?.icon ?? "circle-large-outline"} />
              <span class="hidden-words">{marks[item.status]?.text}: </span>
              <span>{visibleLines(item.text)}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
