import { t } from "@vscode/l10n";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { TreeNode } from "../../../agent/types.ts";
import type { ContextBreakdown, ForeignAgent } from "../../../protocol/hostEvents.ts";
import { agentName } from "../../model/agents.ts";
import { isPriceKnown } from "../../model/usage.ts";
import { aboutCost, formatTokens, totalTokens, usageParts } from "../../text/format.ts";
import { visible } from "../../text/visible.ts";
import { Button, IconButton } from "../../ui/Buttons.tsx";
import { type GaugeCategory, gaugeCategories, gaugeSegments } from "./categories.ts";
import type { GaugeModel } from "./gaugeModel.ts";

export interface GaugeDialogProps {
  model: GaugeModel;
  /** What a run may use. */
  budget: VNode;
  close(): void;
}

/** What fills the context of the shown agent, and what its requests used so far. */
export function GaugeDialog({ model, budget, close }: GaugeDialogProps) {
  const dialog = useRef<HTMLDivElement>(null);
  const node = model.node.value;
  const context = model.context.value;
  const reading = model.reading.value;
  const status = model.status.value;
  const foreign = model.foreign.value;
  const name = node === undefined ? "main" : agentName(node.meta);
  const compactAt = status?.compactAt;
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
          {reading.window !== undefined && ` · ${t("{0}%", reading.percent)}`}
        </span>
        <IconButton icon="close" label={t("Close")} onClick={close} />
      </div>
      {context === undefined ? (
        <p class="hint">
          {foreign === undefined
            ? t("Nothing was sent to the model yet.")
            : t("{0} does not report what is in it.", visible(foreign.program))}
        </p>
      ) : (
        <Categories context={context} compactAt={compactAt} />
      )}
      {node !== undefined && <Spent node={node} isPriceKnown={isPriceKnown(status)} foreign={foreign} />}
      {budget}
      {node !== undefined && foreign === undefined && compactAt !== undefined && (
        <div class="compact">
          <Button onClick={() => model.compact(node.meta.id)}>{t("Compact now")}</Button>
          <span class="hint">{compactText(compactAt, reading.window)}</span>
        </div>
      )}
    </div>
  );
}

function compactText(compactAt: number, window: number | undefined): string {
  if (compactAt === 0) return t("Automatic compaction is off");
  if (window === undefined) return t("No automatic compaction: context window unknown");
  return t("Compacts automatically at {0}%", Math.round(compactAt * 100));
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

interface SpentProps {
  node: TreeNode;
  isPriceKnown: boolean;
  foreign: ForeignAgent | undefined;
}

function Spent({ node, isPriceKnown, foreign }: SpentProps) {
  const below = totalTokens(node.total) - totalTokens(node.own);
  const cost = aboutCost(node.total.cost - node.own.cost);
  return (
    <dl class="spent">
      <Amounts
        name={t("All requests")}
        amounts={foreign === undefined ? usageParts(node.own, isPriceKnown) : reportedParts(node.own, foreign)}
      />
      {below > 0 && (
        <Amounts
          name={t("Sub-agents")}
          amounts={[formatTokens(below), ...(cost === undefined ? [] : [cost]), t("separate context windows")]}
        />
      )}
    </dl>
  );
}

/** What another program does not report is unknown, and no 0. */
function reportedParts(usage: TreeNode["own"], { reported }: ForeignAgent): string[] {
  if (reported.tokens) return usageParts(usage, reported.cost);
  return [t("not reported"), ...(reported.cost ? [aboutCost(usage.cost) ?? ""] : [])].filter((part) => part !== "");
}

/** Numbers of one kind, each of which stays in one piece. */
function Amounts({ name, amounts }: { name: string; amounts: readonly string[] }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {amounts.map((amount) => (
          <span key={amount}>{amount} </span>
        ))}
      </dd>
    </>
  );
}

type Category = GaugeCategory["key"];

/** Drawn over a category's colour, so that those who see no difference in colour see one. */
const marks: Readonly<Record<Category, string | undefined>> = {
  system: undefined,
  tools: "M0 5 L5 0",
  messages: "M0 2.5 H5",
  files: "M2.5 0 V5",
  toolResults: "M0 0 L5 5",
  reserved: "M2 2 h1 v1 h-1 z",
};

/** The patterns that the rectangles of the same page are filled with. */
function CategoryPatterns() {
  return (
    <defs>
      {Object.entries(marks).map(([key, path]) =>
        path === undefined ? null : (
          <pattern key={key} id={patternId(key)} width="5" height="5" patternUnits="userSpaceOnUse">
            <path class="category-mark" d={path} />
          </pattern>
        ),
      )}
    </defs>
  );
}

interface CategoryRectProps {
  category: Category;
  x: string;
  width: string;
  height: number;
}

function CategoryRect({ category, ...box }: CategoryRectProps) {
  return (
    <>
      <rect class={`category ${category}`} {...box} />
      {marks[category] !== undefined && <rect fill={`url(#${patternId(category)})`} {...box} />}
    </>
  );
}

function patternId(key: string): string {
  return `gauge-${key}`;
}
