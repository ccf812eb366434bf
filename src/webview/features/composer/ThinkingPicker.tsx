import { t } from "@vscode/l10n";
import type { ThinkingLevel } from "../../../agent/types.ts";
import { thinkingLevels } from "../../../protocol/modes.ts";
import type { Store } from "../../shell/store.ts";
import { Dropdown } from "../../ui/Dropdown.tsx";

/** How much the model thinks before it answers; not there for one that is known not to think. */
export function ThinkingPicker({ store }: { store: Store }) {
  const status = store.status.value;
  if (status === undefined) return null;
  const known = status.model.isDemo ? [] : (status.model.thinkingLevels ?? thinkingLevels);
  const levels = thinkingLevels.filter((level) => known.includes(level));
  if (!levels.some((level) => level !== "off")) return null;
  const labels: Readonly<Record<ThinkingLevel, string>> = {
    off: t("No thinking"),
    minimal: t("Minimal"),
    low: t("Low"),
    medium: t("Medium"),
    high: t("High"),
  };
  const upToChosen = thinkingLevels.slice(0, thinkingLevels.indexOf(status.thinking) + 1);
  const level = upToChosen.findLast((candidate) => levels.includes(candidate)) ?? "off";
  return (
    <Dropdown
      label={t("Thinking")}
      icon="lightbulb"
      class="collapses"
      title={t("Thinking: {0}", labels[level])}
      value={level}
      options={levels.map((value) => ({ value, label: labels[value] }))}
      onChange={(value) => {
        const chosen = levels.find((candidate) => candidate === value);
        if (chosen !== undefined && chosen !== level) store.post({ type: "setThinking", level: chosen });
      }}
    />
  );
}
