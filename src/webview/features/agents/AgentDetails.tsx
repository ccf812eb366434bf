import { t } from "@vscode/l10n";
import type { VNode } from "preact";
import type { TreeNode } from "../../../agent/types.ts";
import type { FileCollision, ForeignAgent, HookRun } from "../../../protocol/hostEvents.ts";
import { agentTitle } from "../../model/agents.ts";
import { readContext } from "../../model/usage.ts";
import { formatCost, formatTokens, tokensText, totalTokens } from "../../text/format.ts";
import { oneLine, visible } from "../../text/visible.ts";
import type { PanelTiming } from "../../timing.ts";
import { LinkButton } from "../../ui/Buttons.tsx";
import { ClippedText } from "../../ui/ClippedText.tsx";
import { useElapsed } from "../../ui/durations.ts";
import { badgeText } from "./rows.ts";
import type { TreeModel } from "./treeModel.ts";

export interface AgentDetailsProps {
  agentId: string;
  model: TreeModel;
  /** What it may use. */
  budget: VNode;
  /** What it was asked, did and reported. */
  exchange: VNode;
}

/** What a row of the tree opens to: all that is known of one agent. */
export function AgentDetails({ agentId, model, budget, exchange }: AgentDetailsProps) {
  const node = model.node(agentId);
  if (node === undefined) return null;
  const { host, post } = model.chat;
  const { foreignAgents, contexts, collisions, hookRuns } = host.value;
  const foreign = foreignAgents[agentId];
  const own = readContext(node, contexts[agentId], undefined);
  const met = collisions.filter((each) => [each, ...each.others].some((agent) => agent.agentId === agentId));
  // Those of the root agent are the chat's.
  const hooks = hookRuns[node.meta.depth === 0 ? "" : agentId] ?? [];
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a field set.
    <div class="agent-details" role="group" aria-label={t("Details of {0}", agentTitle(node.meta))}>
      <dl>
        <Detail name={t("Model")} value={visible(node.meta.model ?? "")} />
        <dt>{t("Time")}</dt>
        <dd>
          <Elapsed node={node} timing={model.timing} />
        </dd>
        {foreign !== undefined && (
          <Detail name={t("Program")} value={`${visible(foreign.program)} · ${badgeText(foreign)}`} />
        )}
        <Detail name={t("Tokens")} value={spentText(node, foreign)} />
        <dt>{t("Context")}</dt>
        <dd>
          {foreign !== undefined && own.tokens === 0 ? (
            t("not reported")
          ) : (
            <>
              {own.window === undefined ? tokensText(own.tokens) : own.text} · {t("{0}%", own.percent)}
              <ContextBar percent={own.percent} />
            </>
          )}
        </dd>
        <LongDetail name={t("Collisions")} value={met.map(collisionLine).join("\n")} />
        <LongDetail name={t("Hooks")} value={hooks.map(hookLine).join("\n")} />
      </dl>
      {exchange}
      {budget}
      <div class="detail-actions">
        {node.status === "running" && (
          <LinkButton onClick={() => (model.isPaused(agentId) ? model.resume(agentId) : model.pause(agentId))}>
            {model.isPaused(agentId) ? t("Resume") : t("Pause")}
          </LinkButton>
        )}
        <button type="button" class="link" onClick={() => post({ type: "undoBranch", agentId })}>
          {t("Undo this branch's changes")}
        </button>
        <LinkButton onClick={() => post({ type: "copyTranscript", agentId })}>{t("Copy transcript")}</LinkButton>
        <LinkButton onClick={() => post({ type: "showTrace" })}>{t("Show trace")}</LinkButton>
      </div>
    </div>
  );
}

function collisionLine({ path, agentPath, others }: FileCollision): string {
  const names = (did: "read" | "wrote") => others.filter((each) => each.did === did).map((each) => pathText(each));
  const [readers, writers] = [names("read"), names("wrote")];
  return [
    t("{0} wrote {1}", pathText({ agentPath }), visible(path)),
    readers.length > 0 ? t("{0} read an older version", readers.join(", ")) : "",
    writers.length > 0 ? t("{0} wrote an older version", writers.join(", ")) : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

const pathText = ({ agentPath }: { agentPath: readonly string[] }) => visible(agentPath.join(" › "));

function Elapsed({ node, timing }: { node: TreeNode; timing: PanelTiming }) {
  return <>{useElapsed(node, timing)}</>;
}

function Detail({ name, value }: { name: string; value: string }) {
  if (value === "") return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function LongDetail({ name, value }: { name: string; value: string }) {
  if (value === "") return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <ClippedText text={value} />
      </dd>
    </>
  );
}

const hookOutcomes: Readonly<Record<HookRun["outcome"], string>> = {
  ran: t("ran"),
  blocked: t("blocked"),
  changed: t("changed"),
  added: t("added context"),
  asked: t("asked you"),
  failed: t("failed"),
  declined: t("not allowed by you"),
};

function hookLine({ event, command, outcome, text = "" }: HookRun): string {
  const line = `${event}: ${hookOutcomes[outcome]} · ${oneLine(command, maxHookText)}`;
  return text === "" ? line : `${line} · ${oneLine(text, maxHookText)}`;
}

const maxHookText = 120;

/** The text beside it says the same. */
function ContextBar({ percent }: { percent: number }) {
  return (
    <svg class="context-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="room" width="100" height="4" />
      <rect class="filled" width={percent} height="4" />
    </svg>
  );
}

/** What another program does not report is unknown, and no 0. */
function spentText({ own, total, children }: TreeNode, foreign: ForeignAgent | undefined): string {
  const reportedTokens = (tokens: number) =>
    tokens === 0 && foreign?.reported.tokens === false ? t("not reported") : formatTokens(tokens);
  const text = (usage: TreeNode["own"]) =>
    [reportedTokens(totalTokens(usage)), formatCost(usage.cost) ?? ""].filter((part) => part !== "").join(" · ");
  return children.length === 0 ? text(own) : t("{0}, with its agents {1}", text(own), text(total));
}
