import { t } from "@vscode/l10n";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { isPriceKnown } from "../../model/usage.ts";
import { formatTokens, usageLine } from "../../text/format.ts";
import type { GaugeModel } from "./gaugeModel.ts";

const radius = 6;
const length = 2 * Math.PI * radius;

export interface GaugeProps {
  model: GaugeModel;
  dialog(close: () => void): VNode;
}

/** How full the shown agent's context is; opens to what fills it. */
export function Gauge({ model, dialog }: GaugeProps) {
  const button = useRef<HTMLButtonElement>(null);
  const { percent, text, tokens, window } = model.reading.value;
  // Of a window of unknown size nothing is a share.
  const share = window === undefined ? (tokens > 0 ? formatTokens(tokens) : "?") : `${percent}%`;
  const isOpen = model.isOpen.value;

  function close(): void {
    model.isOpen.value = false;
    button.current?.focus();
  }

  function toggle(): void {
    model.isOpen.value = !isOpen;
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
        aria-label={t("Context details, {0}", window === undefined ? text : t("{0}%", percent))}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        title={text}
        onClick={toggle}
      >
        {share}
      </button>
      {isOpen && dialog(close)}
    </div>
  );
}

/** Below the composer: what the whole tree used, and what kind of model answers where that needs saying. */
export function UsageLine({ model }: { model: GaugeModel }) {
  const status = model.status.value;
  const usage = model.total.value;
  return (
    <footer class="usage-line">
      {status?.model.isDemo === true && <span class="demo-label">{t("Demo (offline, scripted)")}</span>}
      {/* Changes with every request: it is there to be looked up, not to be read out each time. */}
      <span class="usage" role="status" aria-label={t("Token usage")} aria-live="off">
        {usage === undefined ? "" : usageLine(usage, isPriceKnown(status))}
      </span>
    </footer>
  );
}
