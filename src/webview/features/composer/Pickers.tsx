import { t } from "@vscode/l10n";
import type { ThinkingLevel } from "../../../agent/types.ts";
import type { Intent, PanelStatus } from "../../../protocol/messages.ts";
import { type PermissionMode, permissionModes, thinkingLevels } from "../../../protocol/modes.ts";
import { visible } from "../../text/visible.ts";
import { Dropdown } from "../../ui/Dropdown.tsx";
import type { Composer } from "./composer.ts";
import type { ComposerModel } from "./composerModel.ts";

interface PickerProps {
  status: PanelStatus | undefined;
  post(intent: Intent): void;
}

/** What is chosen for all messages: they are loaded as one. */
export function Pickers({
  model: { status, post, draft },
}: {
  model: Pick<ComposerModel, "status" | "post" | "draft">;
}) {
  return (
    <>
      <AgentPicker agents={status.value?.agents} answerer={draft.answerer} />
      <ModePicker status={status.value} post={post} />
      <ModelPicker status={status.value} post={post} />
      <ThinkingPicker status={status.value} post={post} />
    </>
  );
}

interface AgentPickerProps {
  agents: PanelStatus["agents"];
  answerer: Composer["answerer"];
}

/** Who answers: main, or an agent that main hands the messages to. */
function AgentPicker({ agents = [], answerer }: AgentPickerProps) {
  const chosen = agents.find(({ name }) => name === answerer.value);
  if (agents.length === 0) return null;
  return (
    <Dropdown
      label={t("Who answers")}
      icon="hubot"
      class="collapses"
      title={
        chosen === undefined
          ? t("Who answers: main")
          : t("Who answers: {0}. {1}", visible(chosen.name), visible(chosen.description))
      }
      value={chosen?.name ?? ""}
      options={[{ value: "", label: "main" }, ...agents.map(({ name }) => ({ value: name, label: visible(name) }))]}
      onChange={(name) => {
        answerer.value = name === "" ? undefined : name;
      }}
    />
  );
}

/** Opens the editor's own picker, which also knows models that are not set up yet. */
const otherModel = "\u0000others";

function ModelPicker({ status, post }: PickerProps) {
  if (status === undefined) return null;
  const { model, models } = status;
  const known = models.some((choice) => choice.id === model.id) ? models : [model, ...models];
  const options = known.map((choice) => ({ value: choice.id, label: visible(choice.label) }));
  return (
    <Dropdown
      label={t("Model")}
      value={model.id}
      options={[...options, { value: otherModel, label: t("Other model…"), isAction: true }]}
      onChange={(id) => {
        if (id === otherModel) post({ type: "selectModel" });
        else if (id !== model.id) post({ type: "selectModel", model: id });
      }}
    />
  );
}

/** What agents may do without asking. */
function ModePicker({ status, post }: PickerProps) {
  if (status === undefined) return null;
  const { mode, editReview } = status;
  const labels: Readonly<Record<PermissionMode, string>> = {
    plan: t("Plan (read-only)"),
    ask: t("Ask first"),
    "auto-edit": t("Auto-edit"),
  };
  const hints: Readonly<Record<PermissionMode, string>> = {
    plan: t("Agents only read and search."),
    ask: askHint(editReview),
    "auto-edit": t("Files are edited at once; commands outside the sandbox are asked for."),
  };
  const titles: Readonly<Record<PermissionMode, string>> = {
    plan: t("Mode: plan. {0}", hints.plan),
    ask: t("Mode: ask first. {0}", hints.ask),
    "auto-edit": t("Mode: auto-edit. {0}", hints["auto-edit"]),
  };
  return (
    <Dropdown
      label={t("Mode")}
      icon={modeIcons[mode]}
      class="mode"
      title={titles[mode]}
      value={mode}
      options={permissionModes.map((value) => ({ value, label: labels[value], hint: hints[value] }))}
      onChange={(value) => {
        const chosen = permissionModes.find((known) => known === value);
        if (chosen !== undefined && chosen !== mode) post({ type: "setMode", mode: chosen });
      }}
    />
  );
}

/** The mode leaves it to a setting whether edits are asked for. */
function askHint(editReview: PanelStatus["editReview"]): string {
  if (editReview === undefined) return t("Agents ask before they act.");
  return editReview === "after"
    ? t("Files are edited at once, for you to keep or undo; agents ask before anything else.")
    : t("Files are edited at once, without a review; agents ask before anything else.");
}

const modeIcons: Readonly<Record<PermissionMode, string>> = { plan: "checklist", ask: "shield", "auto-edit": "edit" };

/** How much the model thinks before it answers; not there for one that is known not to think. */
function ThinkingPicker({ status, post }: PickerProps) {
  if (status === undefined) return null;
  const known = status.model.isDemo ? [] : (status.model.thinkingLevels ?? thinkingLevels);
  // Not to think needs no level of the model's.
  const levels = thinkingLevels.filter((level) => level === "off" || known.includes(level));
  if (!levels.some((level) => level !== "off")) return null;
  const labels: Readonly<Record<ThinkingLevel, string>> = {
    off: t("No thinking"),
    minimal: t("Minimal"),
    low: t("Low"),
    medium: t("Medium"),
    high: t("High"),
    xhigh: t("Extra high"),
    max: t("Maximum"),
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
        if (chosen !== undefined && chosen !== level) post({ type: "setThinking", level: chosen });
      }}
    />
  );
}
