import { t } from "@vscode/l10n";
import { statusTexts } from "../../model/agents.ts";
import { visible } from "../../text/visible.ts";
import { LinkButton } from "../../ui/Buttons.tsx";
import type { ConversationModel } from "./conversationModel.ts";
import { approvalText, exitText, type RanCommand, type RunReport, shareText } from "./runReport.ts";

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
              {visible(share.name)} <span class="file-kind">{visible(shareText(share))}</span>
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
