import { t } from "@vscode/l10n";
import type { Store } from "../../shell/store.ts";
import { IconButton } from "../../ui/IconButton.tsx";
import { ApprovalCard } from "./ApprovalCard.tsx";

/** The approvals that wait, one at a time, whatever transcript is shown. */
export function ApprovalDock({ store }: { store: Store }) {
  const { approvals } = store.hostState.value;
  const index = Math.min(store.approvalIndex.value, approvals.length - 1);
  const approval = approvals[index];
  if (approval === undefined) return null;

  const editIds = approvals.flatMap(({ id, request }) => (request === undefined ? [id] : []));

  function turn(step: number): void {
    store.approvalIndex.value = (index + step + approvals.length) % approvals.length;
  }

  return (
    <section class="approvals" aria-label={t("Approvals")}>
      {/* Another approval is another card: a click that began on one never ends on the next. */}
      <ApprovalCard key={approval.id} approval={approval} editIds={editIds} post={store.post} />
      {approvals.length > 1 && (
        <div class="pager">
          <span>{t("{0} of {1} pending", index + 1, approvals.length)}</span>
          <IconButton icon="chevron-left" label={t("Previous approval")} onClick={() => turn(-1)} />
          <IconButton icon="chevron-right" label={t("Next approval")} onClick={() => turn(1)} />
        </div>
      )}
    </section>
  );
}
