import { t } from "@vscode/l10n";
import { useEffect, useRef } from "preact/hooks";
import type { TreeNode } from "../../../agent/types.ts";
import type { ContextBreakdown } from "../../../protocol/hostEvents.ts";
import { agentName } from "../../model/agentStatus.ts";
import { isPriceKnown } from "../../model/prices.ts";
import type { Store } from "../../shell/store.ts";
import { aboutCost, formatTokens, tokenCount, usageFigures } from "../../text/format.ts";
import { Button } from "../../ui/Button.tsx";
import { IconButton } from "../../ui/IconButton.tsx";
import { BudgetRow } from "../budget/BudgetRow.tsx";
import { CategoryPatterns, CategoryRect } from "./CategoryRect.tsx";
import { type GaugeReading, gaugeCategories, gaugeSegments } from "./gauge.ts";

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
  const compactAt = store.status.value?.compactAt;
  useEffect(() => dialog.current?.focus(), []);
  return (
    <div
      class="gauge-dialog"
      role="dialog"
      aria-label={t("Context of {0}", name)}
      tabIndex={-1}
      ref={dialog}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
    >
      <div class="gauge-head">
        <strong>{t("Context of {0}", name)}</strong>
        <span class="gauge-total">
          {reading.text}
          {reading.window !== undefined && ` · ${reading.percent} %`}
        </span>
        <IconButton icon="close" label={t("Close")} onClick={close} />
      </div>
      {context === undefined ? (
        <p class="hint">{t("Nothing was sent to the model yet.")}</p>
      ) : (
        <Categories context={context} compactAt={compactAt} />
      )}
      {node !== undefined && <Spent node={node} store={store} />}
      <BudgetRow node={node} store={store} />
      {node !== undefined && compactAt !== undefined && (
        <div class="compact">
          <Button onClick={() => store.post({ type: "compact", agentId: node.meta.id })}>{t("Compact now")}</Button>
          <span class="hint">{compactWords(compactAt, reading.window)}</span>
        </div>
      )}
    </div>
  );
}

function compactWords(compactAt: number, window: number | undefined): string {
  if (compactAt === 0) return t("never by itself");
  if (window === undefined) return t("not by itself: the size of the window is unknown");
  return t("by itself at {0} %", Math.round(compactAt * 100));
}

function Categories({ context, compactAt }: { context: ContextBreakdown; compactAt: number | undefined }) {
  return (
    <>
      <svg class="gauge-bar" width="100%" height="10" aria-hidden="true">
        <CategoryPatterns />
        {gaugeSegments(context).map(({ key, start, width }) => (
          <CategoryRect key={key} category={key} x={`${start}%`} width={`${width}%`} height={10} />
        ))}
        {compactAt !== undefined && compactAt > 0 && context.window !== undefined && (
          <rect class="threshold" x={`${compactAt * 100}%`} width="2" height="10" />
        )}
      </svg>
      <dl class="categories">
        {gaugeCategories(context).map(({ key, name, tokens }) => (
          <div key={key} class="category-row">
            <dt>
              <svg class="swatch" width="10" height="10" aria-hidden="true">
                <CategoryRect category={key} x="0" width="10" height={10} />
              </svg>
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
  const cost = aboutCost(node.total.cost - node.own.cost);
  return (
    <dl class="spent">
      <Figures name={t("All requests")} figures={usageFigures(node.own, isPriceKnown(store.status.value))} />
      {below > 0 && (
        <Figures
          name={t("Sub-agents")}
          figures={[formatTokens(below), ...(cost === undefined ? [] : [cost]), t("in own windows")]}
        />
      )}
    </dl>
  );
}

/** Figures of one kind, each of which stays in one piece. */
function Figures({ name, figures }: { name: string; figures: readonly string[] }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {figures.map((figure) => (
          <span key={figure}>{figure} </span>
        ))}
      </dd>
    </>
  );
}
