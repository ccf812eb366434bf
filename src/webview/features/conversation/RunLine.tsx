import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useMemo } from "preact/hooks";
import type { TreeNode } from "../../../agent/types.ts";
import { statusTexts } from "../../model/agents.ts";
import { aboutCost, formatDuration, plural, tokensText } from "../../text/format.ts";
import { visible } from "../../text/visible.ts";
import { Button, LinkButton } from "../../ui/Buttons.tsx";
import { ChangeKind, LineCounts } from "../../ui/DiffLines.tsx";
import { FoldHead } from "../../ui/FoldHead.tsx";
import type { ConversationModel } from "./conversationModel.ts";
import {
  approvalText,
  exitText,
  type RanCommand,
  type RunReport,
  reportInputs,
  reportMarkdown,
  reportOfRun,
  shareText,
} from "./runReport.ts";
import { type WorkOfRun, workOfRun } from "./workOfRun.ts";

export interface RunLineProps {
  /** The id of its last message, for one that another run has followed. Default: the latest. */
  last?: string;
  model: ConversationModel;
}

/** What a run has come to, in one line, which opens to its files and agents. */
export function RunLine({ last, model }: RunLineProps) {
  const { tree, root, latest, ended, host } = model.runs.value;
  const run = last === undefined ? latest : ended.get(last);
  const inputs = root === undefined || run === undefined ? [] : reportInputs(tree, root, run, host);
  const shown = useMemo(() => {
    if (root === undefined || run === undefined) return undefined;
    return { result: workOfRun(tree, root, run, host.writtenEdits), report: reportOfRun(tree, root, run, host) };
  }, inputs);
  if (root === undefined || shown === undefined) return null;
  const elapsed = last === undefined ? elapsedOf(root) : (ended.get(last)?.elapsedMs ?? 0);
  return (
    <RunResult
      isLatest={last === undefined}
      title={host.title}
      {...shown}
      time={formatDuration(elapsed)}
      model={model}
    />
  );
}

function elapsedOf({ startedAt, endedAt = startedAt, earlierMs = 0 }: TreeNode): number {
  return endedAt - startedAt + earlierMs;
}

interface RunResultProps {
  isLatest: boolean;
  title: string | undefined;
  result: WorkOfRun;
  report: RunReport;
  time: string;
  model: ConversationModel;
}

function RunResult({ isLatest, title, result, report, time, model }: RunResultProps) {
  const isOpen = useSignal(false);
  const { files, agents, messageId, tokens, cost } = result;
  if (files.length === 0 && agents.length === 0 && report.commands.length === 0) return null;
  const figures = [tokens > 0 ? tokensText(tokens) : "", aboutCost(cost) ?? "", time];
  return (
    <section class="run-summary" aria-label={t("Result of the run")}>
      <FoldHead isOpen={isOpen}>
        <span>
          {files.length > 0 && (
            <>
              {plural(files.length, t("{0} file changed", files.length), t("{0} files changed", files.length))}{" "}
              <LineCounts added={result.added} removed={result.removed} />
              {" · "}
            </>
          )}
          {figures.filter((part) => part !== "").join(" · ")}
        </span>
      </FoldHead>
      {isOpen.value && (
        <>
          <ul class="run-files">
            {files.map((file) => (
              <ChangedFileLine key={file.path} file={file} model={model} />
            ))}
          </ul>
          {agents.length > 0 && (
            <p class="run-agents">
              {plural(agents.length, t("{0} agent:", agents.length), t("{0} agents:", agents.length))}{" "}
              {agents.map(({ id, title }, index) => (
                <span key={id}>
                  {index > 0 && ", "}
                  <LinkButton onClick={() => model.select(id)}>{title}</LinkButton>
                </span>
              ))}
            </p>
          )}
          <RunReportCard report={report} model={model} />
          <div class="buttons run-buttons">
            {files.length > 0 && <Button onClick={model.showChanges}>{t("Review changes")}</Button>}
            {files.length > 0 && messageId !== undefined && (
              <Button
                title={
                  isLatest
                    ? t("Show all changes of this run as a diff")
                    : t("Show all changes since this run began as a diff")
                }
                onClick={() => model.post({ type: "reviewRun", messageId })}
              >
                {t("Open diff")}
              </Button>
            )}
            <Button
              onClick={() =>
                model.post({ type: "copy", text: reportMarkdown(title ?? t("Result of the run"), result, report) })
              }
            >
              {t("Copy as Markdown")}
            </Button>
          </div>
        </>
      )}
    </section>
  );
}

function ChangedFileLine({ file, model }: { file: WorkOfRun["files"][number]; model: ConversationModel }) {
  const { change, movedTo, added, removed, agents } = file;
  const path = visible(file.path);
  const slash = path.lastIndexOf("/") + 1;
  const now = movedTo ?? file.path;
  return (
    <li>
      <span class="file-name" title={path}>
        {change === "delete" ? (
          path.slice(slash)
        ) : (
          <LinkButton title={t("Open {0}", visible(now))} onClick={() => model.post({ type: "openFile", path: now })}>
            {path.slice(slash)}
          </LinkButton>
        )}
      </span>
      <span class="file-folder">{path.slice(0, Math.max(0, slash - 1))}</span>
      <ChangeKind change={change} movedTo={movedTo} />
      <LineCounts added={added} removed={removed} />
      <span class="run-authors">
        {agents.map(({ id, title }) => (
          <LinkButton key={id} title={t("Open {0}", title)} onClick={() => model.select(id)}>
            {title}
          </LinkButton>
        ))}
      </span>
    </li>
  );
}

export interface RunReportCardProps {
  report: RunReport;
  model: ConversationModel;
}

/** What a run came to beside its files: how it ended, what was run, what it cost, who allowed what, and what is open. */
export function RunReportCard({ report, model }: RunReportCardProps) {
  const { status, error, commands, agents, models, approvals, open } = report;
  const answered = approvalText(approvals);
  return (
    <dl class="run-report">
      {status !== undefined && (
        <>
          <dt>{t("Outcome")}</dt>
          <dd>{error === undefined ? statusTexts[status] : `${statusTexts[status]}: ${visible(error)}`}</dd>
        </>
      )}
      {commands.length > 0 && (
        <>
          <dt>{t("Commands and tests")}</dt>
          <dd>
            <ul>
              {commands.map((command) => (
                <CommandLine key={command.callId} command={command} model={model} />
              ))}
            </ul>
          </dd>
        </>
      )}
      <dt>{t("Agents")}</dt>
      <dd>
        <ul>
          {[...agents, ...models].map((share, index) => (
            <li key={index}>
              <span class="run-share">{visible(share.name)}</span>
              <span class="file-kind run-figures">{visible(shareText(share))}</span>
            </li>
          ))}
        </ul>
      </dd>
      {answered !== "" && (
        <>
          <dt>{t("Approvals")}</dt>
          <dd>{answered}</dd>
        </>
      )}
      {open.length > 0 && (
        <>
          <dt>{t("Open")}</dt>
          <dd>
            <ul>
              {open.map((line, index) => (
                <li key={index}>{visible(line)}</li>
              ))}
            </ul>
          </dd>
        </>
      )}
    </dl>
  );
}

function CommandLine({ command, model }: { command: RanCommand; model: ConversationModel }) {
  const { agentId, agent, command: text, isTest, exitCode } = command;
  return (
    <li data-failed={exitCode !== 0}>
      <span class="run-exit">{exitText(command)}</span>
      {isTest && <span class="file-kind">{t("test")}</span>}
      <code title={visible(text)}>{visible(text)}</code>
      <LinkButton title={t("Open {0}", visible(agent))} onClick={() => model.select(agentId)}>
        {visible(agent)}
      </LinkButton>
    </li>
  );
}
