import { t } from "@vscode/l10n";
import type { ComponentType } from "preact";
import { useRef } from "preact/hooks";
import { AgentTreeView } from "../features/agents/AgentTree.tsx";
import { ComposerBox } from "../features/composer/ComposerBox.tsx";
import { ConversationView } from "../features/conversation/Conversation.tsx";
import { Gauge, UsageLine } from "../features/gauge/Gauge.tsx";
import { EmptyState } from "../features/start/EmptyState.tsx";
import { visible } from "../text/visible.ts";
import { Button, IconButton } from "../ui/Buttons.tsx";
import { Icon } from "../ui/Icon.tsx";
import { lazily } from "../ui/rendering.ts";
import { useFocusRecovery, useFullTextTitles, usePendingFocus } from "./pageEffects.ts";
import type { PanelModel } from "./panel.ts";
import { usePanelKeys } from "./panelKeys.ts";

type OnDemand = typeof import("./onDemand.ts");

/** One of the parts that are asked for now and then, loaded when it is first shown. */
function onDemand<Name extends keyof OnDemand>(name: Name): OnDemand[Name] {
  const load = async () => (await import("./onDemand.ts"))[name];
  // It takes the props of what it loads: the compiler can't follow one name through all of them.
  return lazily(load as () => Promise<ComponentType<object>>) as unknown as OnDemand[Name];
}

const AgentExtras = onDemand("AgentExtras");
const AgentBar = onDemand("AgentBar");
const AgentDetails = onDemand("AgentDetails");
const Approvals = onDemand("Approvals");
const BudgetCard = onDemand("BudgetCard");
const BudgetRow = onDemand("BudgetRow");
const ExchangeView = onDemand("ExchangeView");
const FindBar = onDemand("FindBar");
const GaugeDialog = onDemand("GaugeDialog");
const Grants = onDemand("Grants");
const HistoryView = onDemand("HistoryView");
const MessageAgent = onDemand("MessageAgent");
const Notices = onDemand("Notices");
const PendingFiles = onDemand("PendingFiles");
const Pickers = onDemand("Pickers");
const PictureViewer = onDemand("PictureViewer");
const Plan = onDemand("Plan");
const QuestionCard = onDemand("QuestionCard");
const Queue = onDemand("Queue");
const RecentChats = onDemand("RecentChats");
const RewindNote = onDemand("RewindNote");
const RunningCommands = onDemand("RunningCommands");
const Timeline = lazily(async () => (await import("../features/timeline/TimelineView.tsx")).TimelineView);
const TreeBar = onDemand("TreeBar");
const UndoneNote = onDemand("UndoneNote");
const WorkView = onDemand("WorkView");

/**
 * The shell: all features of the panel, and which of them contains a part of another one. The conversation has the find
 * bar and, while it is empty, the start with the recent chats; the details of an agent and of its context have its
 * budget; the composer has the gauge.
 */
export function App({ panel }: { panel: PanelModel }) {
  usePanelKeys(panel);
  useFocusRecovery();
  useFullTextTitles();
  return (
    <main class="panel">
      <Header panel={panel} />
      {panel.history.isOpen.value ? <HistoryView model={panel.history} /> : <Chat panel={panel} />}
      <Announcement panel={panel} />
      {panel.enlarged.value !== undefined && <PictureViewer enlarged={panel.enlarged} />}
    </main>
  );
}

function Header({ panel }: { panel: PanelModel }) {
  const { chat, history, post } = panel;
  const isHistory = history.isOpen.value;
  const title = isHistory ? t("History") : visible(chat.host.value.title ?? "Arbor");
  return (
    <header class="header">
      <h1 title={title}>{title}</h1>
      {(chat.isRunning.value || chat.held.value.length > 0) && (
        <Button class="stop" title={t("Stop all agents (Esc Esc)")} onClick={() => post({ type: "stop" })}>
          <Icon name="debug-stop" slot="start" />
          <span class="stop-word">{t("Stop")}</span>
        </Button>
      )}
      {chat.hasAgents.value && (
        <IconButton icon="link-external" label={t("Open in editor")} onClick={() => post({ type: "openInEditor" })} />
      )}
      <IconButton
        icon="history"
        label={t("History")}
        isExpanded={isHistory}
        onClick={() => (history.isOpen.peek() ? history.leave() : history.open())}
      />
      <IconButton icon="add" label={t("New chat")} onClick={panel.startChat} />
    </header>
  );
}

function Chat({ panel }: { panel: PanelModel }) {
  const { chat, tree, gauge, besides } = panel;
  return (
    <>
      {chat.hasAgents.value && (
        <AgentTreeView
          model={tree}
          bar={<TreeBar model={tree} isTimeline={besides.isTimeline} />}
          instead={
            besides.isTimeline.value && <Timeline key={chat.chatId.value} chat={chat} recording={besides.recording} />
          }
          details={(agentId) => (
            <AgentDetails
              agentId={agentId}
              model={tree}
              budget={<AgentExtras agentId={agentId} panel={panel} />}
              exchange={<ExchangeView agentId={agentId} model={panel.conversation} />}
            />
          )}
          messageField={(agentId, close) => <MessageAgent agentId={agentId} model={tree} close={close} />}
        />
      )}
      <ShownPlan panel={panel} />
      {(chat.selected.value?.meta.depth ?? 0) > 0 && <AgentBar model={tree} />}
      {panel.work.view.value === undefined ? <ChatConversation panel={panel} /> : <WorkView {...panel.work} />}
      <Dock panel={panel} />
      <SentLater panel={panel} />
      <ComposerBox model={panel.composer} pickers={<Pickers model={panel.composer} />}>
        <Gauge
          model={gauge}
          dialog={(close) => (
            <GaugeDialog
              model={gauge}
              budget={<BudgetRow node={gauge.node.value} model={panel.budget} />}
              close={close}
            />
          )}
        />
      </ComposerBox>
      <UsageLine model={gauge} />
    </>
  );
}

/** The plan of the agent that is shown, or else the root agent's. */
function ShownPlan({ panel: { chat } }: { panel: PanelModel }) {
  const { plans } = chat.host.value;
  const items = plans[chat.selected.value?.meta.id ?? ""] ?? plans[chat.root.value?.meta.id ?? ""];
  return items === undefined ? null : <Plan items={items} />;
}

function ChatConversation({ panel }: { panel: PanelModel }) {
  const { chat, conversation, find, history, post } = panel;
  return (
    <ConversationView
      model={conversation}
      findBar={(root) =>
        find.request.value !== undefined && (
          <FindBar model={find} root={root} agentId={conversation.node.value?.meta.id} />
        )
      }
      start={() => <EmptyState status={chat.status.value} post={post} recent={<RecentChats model={history} />} />}
      endNotice={(notice) => <Notices notices={[notice]} post={post} />}
    />
  );
}

/** What waits for the user, and what they may want to know of, between the conversation and the composer. */
function Dock({ panel }: { panel: PanelModel }) {
  const { chat, budget, post } = panel;
  const dock = useRef<HTMLDivElement>(null);
  usePendingFocus(panel, dock);
  const question = panel.approvals.question.value;
  const { runs, grants, notices, undoableRewind, undoneEdits, commands, pendingEdits } = chat.host.value;
  const approvals = panel.approvals.pending.value.length > 0 && <Approvals key="approvals" model={panel.approvals} />;
  const inConversation = panel.work.view.value === undefined ? panel.conversation.endNotice.value : undefined;
  const others = notices.filter((notice) => notice !== inConversation?.notice);
  // Below the transcript of the agent that was selected comes its own question, and not what another one waits for.
  const isQuestionFirst = question !== undefined && question.agentId === chat.selectedId.value;
  return (
    <div class="dock" ref={dock}>
      {!isQuestionFirst && approvals}
      {question !== undefined && <QuestionCard key={question.id} question={question} model={panel.approvals} />}
      {isQuestionFirst && approvals}
      {runs.questions.slice(0, 1).map((budgetQuestion) => (
        <BudgetCard key={budgetQuestion.id} question={budgetQuestion} model={budget} />
      ))}
      {grants.length > 0 && <Grants grants={grants} post={post} />}
      {others.length > 0 && <Notices notices={others} post={post} />}
      <RewindNote rewind={undoableRewind} post={post} />
      {undoneEdits !== undefined && <UndoneNote undone={undoneEdits} post={post} />}
      {commands.length > 0 && <RunningCommands commands={commands} timing={chat.timing} post={post} />}
      {pendingEdits.length > 0 && <PendingFiles entries={pendingEdits} authorOf={chat.authorOf} post={post} />}
    </div>
  );
}

/** Right above the composer that they come from, in sight whatever waits for an answer. */
function SentLater({ panel: { chat, post } }: { panel: PanelModel }) {
  const queued = chat.host.value.queue.filter((message) => !chat.held.value.includes(message));
  if (queued.length === 0) return null;
  return (
    <Queue
      messages={queued}
      isRunning={chat.isRunning.value}
      awaited={awaitedAgents(chat)}
      agent={chat.agent}
      post={post}
    />
  );
}

/** The agents that the root agent waits for. */
function awaitedAgents({ root, agent }: PanelModel["chat"]): string[] {
  return (root.value?.children ?? []).filter((id) => agent(id)?.status === "running");
}

/** The one part that screen readers announce, at most every two seconds. */
function Announcement({ panel: { chat, isStopArmed } }: { panel: PanelModel }) {
  const latest = chat.announcer.latest.value;
  return (
    <>
      {isStopArmed.value && <p class="hint armed">{t("Press Esc again to stop all agents.")}</p>}
      <div class="hidden-words" role="status" aria-label={t("Announcements")} aria-live="polite">
        <p key={latest.number}>{latest.text}</p>
      </div>
    </>
  );
}
