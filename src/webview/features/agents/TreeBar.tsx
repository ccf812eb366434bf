import { type Signal, useComputed, useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useEffect, useLayoutEffect, useMemo } from "preact/hooks";
import type { TreeNode } from "../../../agent/types.ts";
import { agentStatus, agentTitle, type ShownStatus } from "../../model/agents.ts";
import { plural } from "../../text/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import { StatusIcon } from "../../ui/StatusIcon.tsx";
import { applyMeters, createMarks, matchesFilter, parseMeters } from "./meters.ts";
import { haltText } from "./rows.ts";
import type { TreeModel } from "./treeModel.ts";

/** "halted" is one that runs but makes no request: it is queued or paused. */
type CountedStatus = ShownStatus | "halted";
type Meters = Omit<ReturnType<typeof parseMeters>, "changed">;
type Marks = ReturnType<ReturnType<typeof createMarks>["of"]>;

interface TreeBarProps {
  model: TreeModel;
  isTimeline: Signal<boolean>;
}

/** How often is looked for agents that make no progress. */
const lookMs = 5_000;
/** Those that are named; of more there is their count. */
const maxNamed = 2;

const markTexts = { stalled: t("stalled"), repeating: t("repeating") } as const;

/** Above the agents: as a tree or as a timeline, which of them, in which order, and those that make no progress. */
export function TreeBar({ model, isTimeline }: TreeBarProps) {
  const meters = useComputed(() => parseMeters(model.meters.value));
  const marks = useMarks(model);
  // As one text: what is written to an agent changes the tree with each frame, and the statuses seldom.
  const joined = useComputed(() => {
    const { chat } = model;
    const [tree, activity, waiting] = [chat.tree.value, chat.activity.value, chat.waiting.value];
    const source = { tree, activity, paused: chat.host.value.pausedBranches };
    const countedAs = (node: TreeNode): CountedStatus => {
      const status = agentStatus(node, waiting);
      return status === "running" && haltText(node, source) !== undefined ? "halted" : status;
    };
    return Object.values(tree.nodes).map(countedAs).join(" ");
  });
  // Joined above.
  const statuses = joined.value.split(" ") as CountedStatus[];
  useLayoutEffect(() => {
    model.arrangement.value = (tree) =>
      applyMeters({ ...meters.value, tree, now: model.timing.now(), marks: marks.value, texts: markTexts });
    return () => {
      model.arrangement.value = undefined;
    };
  }, []);
  const hasSeveral = statuses.length > 1;
  if (!hasSeveral && !isTimeline.value && marks.value.size === 0) return null;
  return (
    <div
      class="tree-bar"
      onWheel={(event) => {
        // It scrolls sideways alone, as a mouse's wheel does not.
        event.currentTarget.scrollLeft += event.deltaY;
      }}
    >
      <Tabs isTimeline={isTimeline} />
      {!isTimeline.value && hasSeveral && (
        <Choices
          meters={meters.value}
          statuses={statuses}
          change={(change) => {
            model.meters.value = meters.peek().changed(change);
          }}
        />
      )}
      {/* After the counts, which are to be in view however many make no progress. */}
      <Marked model={model} marks={marks.value} />
    </div>
  );
}

/** The marks, as the clock goes on. */
function useMarks({ chat, timing, ...model }: TreeModel) {
  const tick = useSignal(0);
  const finder = useMemo(createMarks, []);
  const isRunning = chat.isRunning.value;
  useEffect(() => {
    if (!isRunning) return undefined;
    let cancel = timing.later(look, lookMs);
    function look(): void {
      tick.value++;
      cancel = timing.later(look, lookMs);
    }
    return () => cancel();
  }, [isRunning]);
  return useComputed(() => {
    tick.value;
    const [tree, activity, waiting] = [chat.tree.value, chat.activity.value, chat.waiting.value];
    const paused = Object.keys(tree.nodes).filter((id) => model.isPaused(id));
    return finder.of({ tree, activity, waiting, paused, now: timing.now() });
  });
}

function Tabs({ isTimeline }: { isTimeline: Signal<boolean> }) {
  function choose(is: boolean): void {
    isTimeline.value = is;
  }

  function onKeyDown(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    event.preventDefault();
    choose(!isTimeline.peek());
    const [tree, timeline] = event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]");
    (isTimeline.peek() ? timeline : tree)?.focus();
  }

  return (
    <div class="tree-tabs" role="tablist" aria-label={t("Agents as")} onKeyDown={onKeyDown}>
      <Tab label={t("Tree")} icon="list-tree" isOn={!isTimeline.value} choose={() => choose(false)} />
      <Tab label={t("Timeline")} icon="list-selection" isOn={isTimeline.value} choose={() => choose(true)} />
    </div>
  );
}

interface TabProps {
  label: string;
  /** Shown instead where it is very tight. */
  icon: string;
  isOn: boolean;
  choose(): void;
}

function Tab({ label, icon, isOn, choose }: TabProps) {
  return (
    <button
      type="button"
      role="tab"
      class="tree-tab"
      aria-label={label}
      title={label}
      aria-selected={isOn}
      tabIndex={isOn ? 0 : -1}
      onClick={choose}
    >
      <Icon name={icon} />
      <span class="tab-label">{label}</span>
    </button>
  );
}

interface ChoicesProps {
  meters: Meters;
  /** Of all agents, also of those whose rows are folded or out of view. */
  statuses: readonly CountedStatus[];
  change(change: Partial<Meters>): void;
}

function Choices({ meters, statuses, change }: ChoicesProps) {
  const { isOwn, sorting, filter } = meters;
  const filterTexts = { running: t("Running"), waiting: t("Waiting"), failed: t("Failed") } as const;
  const sortingTexts = { cost: t("Cost"), time: t("Time"), context: t("Context %") } as const;
  return (
    <>
      <span class="tree-choices">
        <Choice
          label={t("Own")}
          title={t("Cost of each agent alone")}
          isOn={isOwn}
          choose={() => change({ isOwn: true })}
        />
        <Choice
          label={t("Branch")}
          sign="Σ"
          title={t("Cost of each agent with all below it")}
          isOn={!isOwn}
          choose={() => change({ isOwn: false })}
        />
      </span>
      <span class="tree-choices">
        {(["running", "waiting", "failed"] as const).map((each) => (
          <Choice
            key={each}
            label={filterTexts[each]}
            counted={{
              status: each,
              count: statuses.filter((status) => matchesFilter(status, each)).length,
              halted: each === "running" ? statuses.filter((status) => status === "halted").length : 0,
            }}
            isOn={filter === each}
            choose={() => change({ filter: filter === each ? undefined : each })}
          />
        ))}
      </span>
      <span class="tree-sorting" data-chosen={sorting !== undefined}>
        <Icon name="list-ordered" />
        <select
          aria-label={t("Sort by")}
          title={t("Sort by")}
          value={sorting ?? ""}
          onChange={({ currentTarget: { value } }) =>
            change({ sorting: (["cost", "time", "context"] as const).find((each) => each === value) })
          }
        >
          <option value="">{t("Needs you first")}</option>
          {(["cost", "time", "context"] as const).map((each) => (
            <option key={each} value={each}>
              {sortingTexts[each]}
            </option>
          ))}
        </select>
      </span>
    </>
  );
}

interface ChoiceProps {
  label: string;
  title?: string;
  /** Shown instead of the label where it is very tight. */
  sign?: string;
  isOn: boolean;
  /** Of the agents that it shows, and of those that are queued or paused. Where it is tight an icon replaces the label. */
  counted?: { status: "running" | "waiting" | "failed"; count: number; halted: number };
  choose(): void;
}

function Choice({ label, title, sign, isOn, counted, choose }: ChoiceProps) {
  const button = { type: "button", class: "tree-tab", "aria-pressed": isOn, onClick: choose } as const;
  if (counted === undefined)
    return (
      <button {...button} aria-label={label} title={title}>
        {sign !== undefined && <span class="choice-sign">{sign}</span>}
        <span class={sign === undefined ? undefined : "tab-label"}>{label}</span>
      </button>
    );
  const { status, count, halted } = counted;
  const isCalm = count === 0;
  const agents = plural(count, t("{0} agent", count), t("{0} agents", count));
  const explained = [`${label}: ${agents}`, halted > 0 ? t("{0} queued or paused", halted) : ""];
  const text = explained.filter((part) => part !== "").join(", ");
  return (
    <button {...button} class="tree-tab counted" data-calm={isCalm} aria-label={label} title={text}>
      <StatusIcon status={status === "failed" ? "error" : status} title={text} />
      <span class="choice-label">{label}</span>
      {/* Drawn by the styles: the name of the button is its label alone. */}
      <span
        class="choice-count"
        data-count={count}
        data-halted={halted > 0 ? halted : undefined}
        data-status={isCalm ? undefined : status}
      />
    </button>
  );
}

/** Agents that make no progress, each with what can be done about it. */
function Marked({ model, marks }: { model: TreeModel; marks: Marks }) {
  const named = [...marks].slice(0, maxNamed);
  const left = marks.size - named.length;
  return (
    <>
      {named.map(([id, mark]) => {
        const node = model.node(id);
        if (node === undefined) return null;
        const text = t("{0}: {1}", agentTitle(node.meta), markTexts[mark]);
        return (
          // biome-ignore lint/a11y/useSemanticElements: a line with two buttons is no field set.
          <div key={id} class="tree-marked" role="group" aria-label={text} data-mark={mark}>
            <span>{text}</span>
            <button
              type="button"
              class="link"
              onClick={() => {
                model.messaged.value = id;
              }}
            >
              {t("Steer")}
            </button>
            <button type="button" class="link" onClick={() => model.stop(id)}>
              {t("Stop")}
            </button>
          </div>
        );
      })}
      {left > 0 && <span>{t("{0} more make no progress", left)}</span>}
    </>
  );
}
