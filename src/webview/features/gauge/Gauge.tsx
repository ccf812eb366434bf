import { t } from "@vscode/l10n";
import { useRef } from "preact/hooks";
import type { Store } from "../../shell/store.ts";
import { formatTokens } from "../../text/format.ts";
import { lazily } from "../../ui/lazily.tsx";
import { gaugeReading } from "./gauge.ts";

const GaugeDialog = lazily(async () => (await import("../../shell/rare.ts")).GaugeDialog);

const radius = 6;
const length = 2 * Math.PI * radius;

/** How full the shown agent's context is; opens to what fills it. */
export function Gauge({ store }: { store: Store }) {
  const button = useRef<HTMLButtonElement>(null);
  const node = store.selected.value;
  const context = store.hostState.value.contexts[node?.meta.id ?? ""];
  const reading = gaugeReading(node, context, store.status.value);
  const { percent, text, tokens, window } = reading;
  // Of a window of unknown size nothing is a share.
  const share = window === undefined ? (tokens > 0 ? formatTokens(tokens) : "?") : `${percent}%`;
  const isOpen = store.isGaugeOpen.value;

  function close(): void {
    store.isGaugeOpen.value = false;
    button.current?.focus();
  }

  function toggle(): void {
    store.isGaugeOpen.value = !isOpen;
  }

  return (
    <div class="gauge" data-level={percent >= 90 ? "high" : percent >= 70 ? "middle" : "low"}>
      {/* biome-ignore lint/a11y/useSemanticElements: the browser's own meter is a bar and takes no theme. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a click on the ring is for the mouse; the button beside it has the keys. */}
      <div
        class="meter"
        role="meter"
        aria-label={t("Context window")}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={text}
        title={text}
        onClick={toggle}
      >
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <circle class="ring" cx="8" cy="8" r={radius} />
          <circle
            class="ring filled"
            cx="8"
            cy="8"
            r={radius}
            stroke-dasharray={`${(length * percent) / 100} ${length}`}
          />
        </svg>
      </div>
      <button
        type="button"
        class="gauge-button"
        ref={button}
        aria-label={t("Context details, {0}", window === undefined ? text : `${percent} %`)}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        title={text}
        onClick={toggle}
      >
        {share}
      </button>
      {isOpen && <GaugeDialog node={node} context={context} reading={reading} store={store} close={close} />}
    </div>
  );
}
