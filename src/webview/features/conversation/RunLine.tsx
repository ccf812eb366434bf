import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { TreeNode } from "../../../agent/types.ts";
import { aboutCost, formatTokens, plural } from "../../text/format.ts";
import { visible } from "../../text/visible.ts";
import { Button, LinkButton } from "../../ui/Buttons.tsx";
import { ChangeKind, LineCounts } from "../../ui/DiffLines.tsx";
import { useElapsed } from "../../ui/durations.ts";
import { FoldHead } from "../../ui/FoldHead.tsx";
import type { ConversationModel } from "./conversationModel.ts";
import { RunReportCard } from "./RunReportCard.tsx";
import { reportMarkdown, reportOfRun } from "./runReport.ts";
import { type WorkOfRun, workOfRun } from "./workOfRun.ts";

export interface RunLineProps {
  root: TreeNode;
  model: ConversationModel;
}

/** What the latest run has come to, in one line, which opens to its files and agents. */
export function RunLine({ root, model }: RunLineProps) {
  const isOpen = useSignal(false);
  const { tree, runs, host } = model.latestRun.value;
  const time = useElapsed(root, model.timing);
  const result = workOfRun(tree, root, runs);
  const { files, agents, messageId, tokens, cost } = result;
  const report = reportOfRun(tree, root, runs, host);
  if (files.length === 0 && agents.length === 0 && report.commands.length === 0) return null;
  const figures = [tokens > 0 ? t("{0} tokens", formatTokens(tokens)) : "", aboutCost(cost) ?? "", time];
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
                title={t("Show all changes of this run as a diff")}
                onClick={() => model.post({ type: "reviewRun", messageId })}
              >
                {t("Review")}
              </Button>
            )}
            <Button
              onClick={() =>
                model.post({ type: "copy", text: reportMarkdown(host.title ?? t("Result of the run"), result, report) })
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
