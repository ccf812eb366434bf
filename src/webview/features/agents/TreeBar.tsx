import { type Signal, useComputed, useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useEffect, useLayoutEffect, useMemo } from "preact/hooks";
import { agentTitle } from "../../model/agents.ts";
import { applyMeters, createMarks, parseMeters } from "./meters.ts";
import type { TreeModel } from "./treeModel.ts";

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
  useLayoutEffect(() => {
    model.arrangement.value = (tree) =>
      applyMeters({ ...meters.value, tree, now: model.timing.now(), marks: marks.value, texts: markTexts });
    return () => {
      model.arrangement.value = undefined;
    };
  }, []);
  const agents = Object.keys(model.chat.tree.value.nodes).length;
  if (agents < 2 && !isTimeline.value && marks.value.size === 0) return null;
  return (
    <div
      class="tree-bar"
      onWheel={(event) => {
        // It scrolls sideways alone, as a mouse's wheel does not.
        event.currentTarget.scrollLeft += event.deltaY;
      }}
    >
      <Tabs isTimeline={isTimeline} />
      <Marked model={model} marks={marks.value} />
      {!isTimeline.value && agents > 1 && (
        <Choices
          meters={meters.value}
          change={(change) => {
            model.meters.value = meters.peek().changed(change);
          }}
        />
      )}
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
      <Tab label={t("Tree")} isOn={!isTimeline.value} choose={() => choose(false)} />
      <Tab label={t("Timeline")} isOn={isTimeline.value} choose={() => choose(true)} />
    </div>
  );
}

function Tab({ label, isOn, choose }: { label: string; isOn: boolean; choose(): void }) {
  return (
    <button type="button" role="tab" class="tree-tab" aria-selected={isOn} tabIndex={isOn ? 0 : -1} onClick={choose}>
      {label}
    </button>
  );
}

function Choices({ meters, change }: { meters: Meters; change(change: Partial<Meters>): void }) {
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
            isOn={filter === each}
            choose={() => change({ filter: filter === each ? undefined : each })}
          />
        ))}
      </span>
      <select
        class="tree-sorting"
        aria-label={t("Sort by")}
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
    </>
  );
}

interface ChoiceProps {
  label: string;
  title?: string;
  isOn: boolean;
  choose(): void;
}

function Choice({ label, title, isOn, choose }: ChoiceProps) {
  return (
    <button type="button" class="tree-tab" title={title} aria-pressed={isOn} onClick={choose}>
      {label}
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
