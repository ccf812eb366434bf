import type { Signal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useEffect, useRef } from "preact/hooks";
import type { ComparedRun, Comparison } from "../../../protocol/hostEvents.ts";
import type { HostState } from "../../../protocol/hostState.ts";
import type { ChatModel } from "../../model/chatModel.ts";
import { aboutCost, formatDuration, formatTokens, plural } from "../../text/format.ts";
import { visible, visibleLines } from "../../text/visible.ts";
import { Button, IconButton, LinkButton } from "../../ui/Buttons.tsx";
import { ClippedText } from "../../ui/ClippedText.tsx";
import { ChangeKind, DiffLines, LineCounts } from "../../ui/DiffLines.tsx";
import { Fold } from "../../ui/FoldHead.tsx";
import { closeOnEscape } from "./closeOnEscape.ts";

export interface CompareViewProps {
  chat: Pick<ChatModel, "host" | "post" | "agent" | "select" | "isRunning">;
  view: Signal<"changes" | "comparisons" | undefined>;
  focusComposer(): void;
}

/** Those that the user has not closed, the latest first. */
export function openComparisons({ comparisons }: HostState): Comparison[] {
  return comparisons.filter(({ isClosed }) => isClosed !== true).reverse();
}

/** Runs of one task side by side: what each said, changed, tested, used. */
export function CompareView({ chat, view, focusComposer }: CompareViewProps) {
  const region = useRef<HTMLElement>(null);
  const comparisons = openComparisons(chat.host.value);
  const close = () => {
    view.value = undefined;
    focusComposer();
  };

  const show = (agentId: string) => {
    chat.select(agentId);
    view.value = undefined;
  };

  useEffect(() => region.current?.querySelector<HTMLElement>("button")?.focus(), []);

  return (
    <section class="changes compare" aria-label={t("Compare")} ref={region} onKeyDown={closeOnEscape(close)}>
      <div class="changes-bar">
        <strong>{t("Compare")}</strong>
        <IconButton icon="close" label={t("Close Compare")} onClick={close} />
      </div>
      <div class="changes-list">
        {comparisons.length === 0 && (
          <p class="hint">{t("There is nothing to compare. Run a finished agent again.")}</p>
        )}
        {comparisons.map((comparison) => (
          <Runs key={comparison.id} comparison={comparison} chat={chat} show={show} />
        ))}
      </div>
    </section>
  );
}

interface RunsProps {
  comparison: Comparison;
  chat: CompareViewProps["chat"];
  /** Shows an agent's transcript. */
  show(agentId: string): void;
}

function Runs({ comparison, ...rest }: RunsProps) {
  const { chat } = rest;
  const { id, title, runs } = comparison;
  return (
    <section class="compared" aria-label={visible(title)}>
      <div class="changes-bar">
        <span class="compared-title">{visible(title)}</span>
        <LinkButton
          title={t("Forgets what the runs changed. Your files stay as they are.")}
          onClick={() => chat.post({ type: "closeComparison", comparisonId: id })}
        >
          {t("Discard")}
        </LinkButton>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex lint/a11y/useSemanticElements: what scrolls must be reachable by keyboard, and it is no field set. */}
      <div class="compared-runs" tabIndex={0} role="group" aria-label={t("Runs, side by side")}>
        {runs.map((run, index) => (
          <Run key={index} run={run} index={index} comparisonId={id} {...rest} />
        ))}
      </div>
    </section>
  );
}

interface RunProps extends Omit<RunsProps, "comparison"> {
  run: ComparedRun;
  index: number;
  comparisonId: string;
}

function Run({ run, index, comparisonId, chat, show }: RunProps) {
  const name = t("Run {0}", index + 1);
  const { agentId = "", files = [], answer = "" } = run;
  const node = chat.agent(agentId);
  const model = run.model ?? node?.meta.model ?? "";
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a field set.
    <div class="compared-run" role="group" aria-label={name}>
      <strong>{name}</strong>
      <dl>
        {model !== "" && <Figure name={t("Model")} value={visible(model)} />}
        <Figure name={t("State")} value={stateText(run, node?.status === "running" || chat.isRunning.value)} />
        <Figure name={t("Tests")} value={testsText(run)} />
        <Figure name={t("Time")} value={run.durationMs === undefined ? "–" : formatDuration(run.durationMs)} />
        <Figure name={t("Tokens")} value={run.tokens === undefined ? "–" : formatTokens(run.tokens)} />
        <Figure name={t("Cost")} value={(run.cost !== undefined && aboutCost(run.cost)) || "–"} />
      </dl>
      {answer !== "" && (
        <p class="compared-answer">
          <ClippedText text={visibleLines(answer)} lines={6} />
        </p>
      )}
      {run.files !== undefined && (
        <p class="hint">
          {files.length === 0
            ? t("It changed no file.")
            : run.fileCount !== undefined
              ? t("{0} of {1} changed files are shown. Use this one proposes all of them.", files.length, run.fileCount)
              : plural(files.length, t("{0} file changed", files.length), t("{0} files changed", files.length))}
        </p>
      )}
      {files.map((file) => (
        <ChangedFile key={file.path} {...file} />
      ))}
      <div class="detail-actions">
        {files.length > 0 && (
          <Button
            appearance={run.isUsed === true ? "secondary" : "primary"}
            title={t("Propose what run {0} changed on your files", index + 1)}
            onClick={() => chat.post({ type: "useRun", comparisonId, index })}
          >
            {t("Use this one")}
          </Button>
        )}
        {node !== undefined && <LinkButton onClick={() => show(agentId)}>{t("Transcript")}</LinkButton>}
      </div>
    </div>
  );
}

function ChangedFile({ path, change, added, removed, hunks }: NonNullable<ComparedRun["files"]>[number]) {
  return (
    <div class="compared-file">
      <Fold label={visible(path)}>
        {hunks.length === 0 && <p class="hint">{t("No text: it can't be proposed.")}</p>}
        {hunks.map((hunk) => (
          <DiffLines key={hunk.line} oldLines={hunk.oldLines} newLines={hunk.newLines} />
        ))}
      </Fold>
      <span class="compared-counts">
        <ChangeKind change={change} movedTo={undefined} /> <LineCounts added={added} removed={removed} />
      </span>
    </div>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function stateText({ state, isUsed }: ComparedRun, isRunning: boolean): string {
  if (isUsed === true) return t("used");
  if (state === "done") return t("done");
  if (state === "failed") return t("failed");
  return isRunning ? t("running") : t("interrupted");
}

function testsText({ tests }: ComparedRun): string {
  if (tests === undefined) return t("none ran");
  return tests.exitCode === undefined ? t("ended early") : t("exit code {0}", tests.exitCode);
}
