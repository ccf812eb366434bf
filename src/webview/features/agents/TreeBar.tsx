import type { Signal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { TreeModel } from "./treeModel.ts";

interface TreeBarProps {
  model: TreeModel;
  isTimeline: Signal<boolean>;
}

/** Above the agents: as a tree or as a timeline. Where there is one agent alone there is nothing to choose in its tree. */
export function TreeBar({ model, isTimeline }: TreeBarProps) {
  if (model.rows.value.length < 2 && !isTimeline.value) return null;
  return (
    <div class="tree-bar">
      <div class="tree-tabs" role="tablist" aria-label={t("Agents as")} onKeyDown={onKeyDown}>
        <Tab label={t("Tree")} isOn={!isTimeline.value} choose={() => choose(false)} />
        <Tab label={t("Timeline")} isOn={isTimeline.value} choose={() => choose(true)} />
      </div>
    </div>
  );

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
}

function Tab({ label, isOn, choose }: { label: string; isOn: boolean; choose(): void }) {
  return (
    <button type="button" role="tab" class="tree-tab" aria-selected={isOn} tabIndex={isOn ? 0 : -1} onClick={choose}>
      {label}
    </button>
  );
}
