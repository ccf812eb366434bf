import { useEffect, useRef } from "preact/hooks";
import type { TreeNode } from "../../agent/types.ts";
import type { ContextBreakdown } from "../../protocol/hostEvents.ts";
import { agentName } from "../state/agentStatus.ts";
import { type GaugeReading, gaugeCategories, gaugeSegments } from "../state/gauge.ts";
import { isPriceKnown } from "../state/prices.ts";
import type { Store } from "../store.ts";
import { formatCost, formatTokens, tokenCount, usageLine } from "../text/format.ts";
import { IconButton } from "../ui/IconButton.tsx";

export interface GaugeDialogProps {
  node: TreeNode | undefined;
  context: ContextBreakdown | undefined;
  reading: GaugeReading;
  store: Store;
  close(): void;
}

/** What fills the context of the shown agent, and what its requests took so far. */
export function GaugeDialog({ node, context, reading, store, close }: GaugeDialogProps) {
  const dialog = useRef<HTMLDivElement>(null);
  const name = node === undefined ? "main" : agentName(node.meta);
  useEffect(() => dialog.current?.focus(), []);
  return (
    <div
      class="gauge-dialog"
      role="dialog"
      aria-label={`Context of ${name}`}
      tabIndex={-1}
      ref={dialog}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
    >
      <div class="gauge-head">
        <strong>Context of {name}</strong>
        <span class="gauge-total">
          {reading.text}
          {reading.window !== undefined && ` · ${reading.percent} %`}
        </span>
        <IconButton icon="close" label="Close" onClick={close} />
      </div>
      {context === undefined ? (
        <p class="hint">Nothing was sent to the model yet.</p>
      ) : (
        <Categories context={context} />
      )}
      {node !== undefined && <Spent node={node} store={store} />}
    </div>
  );
}

function Categories({ context }: { context: ContextBreakdown }) {
  return (
    <>
      <svg class="gauge-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        {gaugeSegments(context).map(({ key, start, width }) => (
          <rect key={key} class={`category ${key}`} x={start} y="0" width={width} height="8" />
        ))}
      </svg>
      <dl class="categories">
        {gaugeCategories(context).map(({ key, name, tokens }) => (
          <div key={key} class="category-row">
            <dt>
              <span class={`swatch ${key}`} aria-hidden="true" />
              {name}
            </dt>
            <dd>{formatTokens(tokens)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Spent({ node, store }: { node: TreeNode; store: Store }) {
  const below = tokenCount(node.total) - tokenCount(node.own);
  const cost = formatCost(node.total.cost - node.own.cost);
  return (
    <div class="spent">
      <p>All requests: {usageLine(node.own, isPriceKnown(store.status.value))}</p>
      {below > 0 && (
        <p>
          Sub-agents: {formatTokens(below)}
          {cost === undefined ? "" : ` · ≈${cost}`}, in windows of their own
        </p>
      )}
    </div>
  );
}
