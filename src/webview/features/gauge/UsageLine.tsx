import { t } from "@vscode/l10n";
import { isPriceKnown } from "../../model/prices.ts";
import type { Store } from "../../shell/store.ts";
import { usageLine } from "../../text/format.ts";

/** Below the composer: what the whole tree took, and what kind of model answers where that needs saying. */
export function UsageLine({ store }: { store: Store }) {
  const status = store.status.value;
  const usage = store.root.value?.total;
  return (
    <footer class="usage-line">
      {status?.model.isDemo === true && <span class="demo-label">{t("Demo model: rules, not a language model")}</span>}
      {/* Changes with every request: it is there to be looked up, not to be read out each time. */}
      <span class="usage" role="status" aria-label={t("Token usage")} aria-live="off">
        {usage === undefined ? "" : usageLine(usage, isPriceKnown(status))}
      </span>
    </footer>
  );
}
