import { t } from "@vscode/l10n";
import { useEffect, useRef } from "preact/hooks";
import { AgentBar } from "../features/agents/AgentBar.tsx";
import { AgentDetails } from "../features/agents/AgentDetails.tsx";
import { AgentTreeView } from "../features/agents/AgentTree.tsx";
import { TreeBar } from "../features/agents/TreeBar.tsx";
import { Approvals } from "../features/approvals/Approvals.tsx";
import { QuestionCard } from "../features/approvals/QuestionCard.tsx";
import { BudgetCard } from "../features/budget/BudgetCard.tsx";
import { ConversationView } from "../features/conversation/Conversation.tsx";
import { ExchangeView } from "../features/conversation/ExchangeView.tsx";
import { PendingFiles } from "../features/edits/PendingFiles.tsx";
import { Gauge, UsageLine } from "../features/gauge/Gauge.tsx";
import { GaugeDialog } from "../features/gauge/GaugeDialog.tsx";
import { Plan } from "../features/plan/Plan.tsx";
import { ReplayControls } from "../features/replay/ReplayControls.tsx";
import { TimelineChart } from "../features/timeline/TimelineChart.tsx";
import { visible } from "../text/visible.ts";
import { PictureViewer } from "../ui/PictureViewer.tsx";
import { useFullTextTitles } from "./pageEffects.ts";
import type { ReplayModel } from "./replay.ts";

interface ReplayPageProps {
  replay: ReplayModel;
  /** What an exported page lacks of the chat. */
  note?: string | undefined;
  fork?: ((seq: number) => void) | undefined;
  exportPage?: (() => void) | undefined;
}

/** A chat as it was at a moment, by the same components that show the one that goes on. */
export function ReplayPage({ replay, note, fork, exportPage }: ReplayPageProps) {
  const { chat, player, tree, gauge, enlarged } = replay;
  const main = useRef<HTMLElement>(null);
  useFullTextTitles();
  useReadOnlyLinks(main);
  const title = visible(chat.host.value.title ?? "Arbor");
  return (
    <main class="panel replay" ref={main}>
      <header class="header">
        <h1 title={title}>{t("Replay: {0}", title)}</h1>
        <Gauge model={gauge} dialog={(close) => <GaugeDialog model={gauge} budget={<span />} close={close} />} />
      </header>
      {note !== undefined && <p class="replay-note">{note}</p>}
      {chat.hasAgents.value && (
        <AgentTreeView
          model={tree}
          bar={<TreeBar model={tree} isTimeline={replay.isTimeline} />}
          instead={replay.isTimeline.value && <TimelineAtMoment replay={replay} />}
          details={(agentId) => (
            <AgentDetails
              agentId={agentId}
              model={tree}
              budget={<span />}
              exchange={<ExchangeView agentId={agentId} model={replay.conversation} />}
            />
          )}
          messageField={() => <span />}
        />
      )}
      <PlanAtMoment replay={replay} />
      {(chat.selected.value?.meta.depth ?? 0) > 0 && <AgentBar model={tree} />}
      <ConversationView
        model={replay.conversation}
        findBar={() => null}
        start={() => <p class="hint">{t("Nothing was said yet.")}</p>}
      />
      <PendingAtMoment replay={replay} />
      <UsageLine model={gauge} />
      <ReplayControls player={player} chat={chat} fork={fork} exportPage={exportPage} />
      {enlarged.value !== undefined && <PictureViewer enlarged={enlarged} />}
    </main>
  );
}

function TimelineAtMoment({ replay }: { replay: ReplayModel }) {
  const { chat, player, timeline, version, goTo } = replay;
  return (
    <TimelineChart
      timeline={timeline}
      version={version}
      until={() => player.log.timeAt(player.position.value)}
      isLive={false}
      timing={player.timing}
      selectedId={chat.selected.value?.meta.id}
      select={goTo}
    />
  );
}

function PlanAtMoment({ replay: { chat } }: { replay: ReplayModel }) {
  const { plans } = chat.host.value;
  const items = plans[chat.selected.value?.meta.id ?? ""] ?? plans[chat.root.value?.meta.id ?? ""];
  return items === undefined ? null : <Plan items={items} />;
}

/** What waited for the user then. */
function PendingAtMoment({ replay: { chat, approvals, budget } }: { replay: ReplayModel }) {
  const question = approvals.question.value;
  const { runs, pendingEdits } = chat.host.value;
  return (
    <div class="dock">
      {approvals.pending.value.length > 0 && <Approvals model={approvals} />}
      {question !== undefined && <QuestionCard key={question.id} question={question} model={approvals} />}
      {runs.questions.slice(0, 1).map((asked) => (
        <BudgetCard key={asked.id} question={asked} model={budget} />
      ))}
      {pendingEdits.length > 0 && <PendingFiles entries={pendingEdits} authorOf={chat.authorOf} post={chat.post} />}
    </div>
  );
}

/** Links that lead to another part of this page. */
const innerLinks = ".agent-bar .link, .timeline .link, .pager .link";

/** What the panel opens in the editor is a text here. */
function useReadOnlyLinks(main: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const root = main.current;
    if (root === null) return undefined;
    const disable = () => {
      for (const link of root.querySelectorAll<HTMLButtonElement>("button.link:enabled")) {
        if (!link.matches(innerLinks)) link.disabled = true;
      }
      for (const option of root.querySelectorAll<HTMLElement>(".options vscode-button:not([disabled])")) {
        option.setAttribute("disabled", "");
      }
    };
    const observer = new MutationObserver(disable);
    observer.observe(root, { childList: true, subtree: true });
    disable();
    return () => observer.disconnect();
  }, []);
}
