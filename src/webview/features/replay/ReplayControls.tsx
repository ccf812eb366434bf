import { t } from "@vscode/l10n";
import { useEffect } from "preact/hooks";
import type { ChatModel } from "../../model/chatModel.ts";
import { IconButton } from "../../ui/Buttons.tsx";
import { forkText, momentText, positionText } from "./moment.ts";
import { type Player, speeds } from "./player.ts";
import { type StepKind, stepKinds } from "./replayLog.ts";

interface ReplayControlsProps {
  player: Player;
  chat: ChatModel;
  /** Undefined in an exported page, in which there is no chat to go on with. */
  fork: ((seq: number) => void) | undefined;
  exportPage: (() => void) | undefined;
}

const kindTexts: Readonly<Record<StepKind, string>> = {
  event: t("Event"),
  request: t("Model request"),
  tool: t("Tool"),
  approval: t("Approval"),
  edit: t("File edit"),
};

/** The slider over the log, what plays it and steps through it, and what can be made of the moment. */
export function ReplayControls({ player, chat, fork, exportPage }: ReplayControlsProps) {
  useKeys(player);
  const position = player.position.value;
  const count = player.count.value;
  const isPlaying = player.isPlaying.value;
  const { log } = player;
  const entry = log.entries[position - 1];
  const what = momentText(entry, chat.liveTree.value);
  const where = positionText(log, position);
  const forkTitle = fork === undefined ? undefined : forkText(log, position);
  const kind = kindTexts[player.stepKind.value];
  return (
    <section class="replay-controls" aria-label={t("Replay")}>
      <p class="replay-moment">
        <span class="replay-where">{where}</span>
        <span class="replay-what">{what}</span>
      </p>
      <input
        class="replay-slider"
        type="range"
        min={0}
        max={count}
        step={1}
        value={position}
        aria-label={t("Moment")}
        aria-valuetext={what === "" ? where : `${where}, ${what}`}
        onInput={({ currentTarget }) => player.seek(Number(currentTarget.value))}
      />
      <div class="replay-buttons">
        <IconButton
          icon={isPlaying ? "debug-pause" : "play"}
          label={isPlaying ? t("Pause") : t("Play")}
          title={isPlaying ? t("Pause (Space)") : t("Play (Space)")}
          isDisabled={count === 0}
          onClick={player.toggle}
        />
        <IconButton
          icon="debug-step-back"
          label={t("Step back")}
          title={t("Step back: {0} (←)", kind)}
          isDisabled={position === 0}
          onClick={() => player.step(-1)}
        />
        <IconButton
          icon="debug-step-over"
          label={t("Step forward")}
          title={t("Step forward: {0} (→)", kind)}
          isDisabled={position === count}
          onClick={() => player.step(1)}
        />
        <Choice
          label={t("Step by")}
          value={player.stepKind.value}
          options={stepKinds.map((each) => ({ value: each, text: kindTexts[each] }))}
          choose={(each) => {
            player.stepKind.value = each;
          }}
        />
        <Choice
          label={t("Speed (+/−)")}
          value={player.speed.value}
          options={speeds.map((each) => ({ value: each, text: `${each}×` }))}
          choose={(each) => {
            player.speed.value = each;
          }}
        />
        <span class="spacer" />
        {fork !== undefined && (
          <IconButton
            icon="repo-forked"
            label={t("Fork from here")}
            title={forkTitle ?? t("Fork from here")}
            isDisabled={forkTitle === undefined}
            onClick={() => entry !== undefined && fork(entry.seq)}
          />
        )}
        {exportPage !== undefined && (
          <IconButton
            icon="export"
            label={t("Export as a page")}
            title={t("Export as a page: one file that replays this chat in any browser, without secrets")}
            isDisabled={count === 0}
            onClick={exportPage}
          />
        )}
      </div>
      {/* While it plays, what happens is looked at: read out, it would be late. */}
      <div class="hidden-words" role="status" aria-label={t("Moment shown")} aria-live={isPlaying ? "off" : "polite"}>
        {what === "" ? where : `${where}, ${what}`}
      </div>
    </section>
  );
}

interface ChoiceProps<Value extends string | number> {
  label: string;
  value: Value;
  options: readonly { value: Value; text: string }[];
  choose(value: Value): void;
}

function Choice<Value extends string | number>({ label, value, options, choose }: ChoiceProps<Value>) {
  return (
    <select
      class="replay-choice"
      aria-label={label}
      title={label}
      value={value}
      onChange={({ currentTarget }) => {
        const chosen = options[currentTarget.selectedIndex];
        if (chosen !== undefined) choose(chosen.value);
      }}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.text}
        </option>
      ))}
    </select>
  );
}

/** Keys of the whole page, where what has the focus has no use of its own for them. */
function useKeys(player: Player): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.isComposing || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!isFree(event) || !act(player, event.key)) return;
      event.preventDefault();
    }
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [player]);
}

/** A list, a text and what is scrolled have these keys themselves; a button is pressed by the space bar. */
function isFree({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return true;
  if (target.matches("select, textarea, input:not(.replay-slider), vscode-text-field")) return false;
  if (key === " " && target.closest("button, vscode-button, [role=treeitem]") !== null) return false;
  const isMove = key.startsWith("Arrow") || key === "Home" || key === "End";
  return !isMove || target.closest("[role=tree], [role=tablist], [role=application], .conversation") === null;
}

function act(player: Player, key: string): boolean {
  switch (key) {
    case " ":
      player.toggle();
      return true;
    case "ArrowLeft":
    case "ArrowRight":
      player.step(key === "ArrowRight" ? 1 : -1);
      return true;
    case "Home":
      player.seek(0);
      return true;
    case "End":
      player.seek(player.log.count);
      return true;
    case "+":
    case "=":
      player.faster(1);
      return true;
    case "-":
      player.faster(-1);
      return true;
    default:
      return false;
  }
}
