import { t } from "@vscode/l10n";
import { useRef } from "preact/hooks";
import { AgentBar } from "../features/agents/AgentBar.tsx";
import { AgentTree } from "../features/agents/AgentTree.tsx";
import { ApprovalDock } from "../features/approvals/Approvals.tsx";
import { ComposerBox } from "../features/composer/ComposerBox.tsx";
import { Conversation } from "../features/conversation/Conversation.tsx";
import { UsageLine } from "../features/gauge/Gauge.tsx";
import { Notices } from "../features/notices/Notices.tsx";
import { Plan } from "../features/plan/Plan.tsx";
import { visible } from "../text/visible.ts";
import { Button, IconButton } from "../ui/Buttons.tsx";
import { Icon } from "../ui/Icon.tsx";
import { PictureViewer } from "../ui/Pictures.tsx";
import { lazily } from "../ui/rendering.ts";
import { useCutTextTitles, useKeptFocus, useWaitingFocus } from "./pageEffects.ts";
import type { Store } from "./panel.ts";
import { usePanelKeys } from "./panelKeys.ts";

const BudgetCard = lazily(async () => (await import("./onDemand.ts")).BudgetCard);

const Grants = lazily(async () => (await import("./onDemand.ts")).Grants);

const HistoryView = lazily(async () => (await import("./onDemand.ts")).HistoryView);

const PendingEdits = lazily(async () => (await import("./onDemand.ts")).PendingEdits);

const QuestionCard = lazily(async () => (await import("./onDemand.ts")).QuestionCard);

const Queue = lazily(async () => (await import("./onDemand.ts")).Queue);

const RewindNote = lazily(async () => (await import("./onDemand.ts")).RewindNote);

const RunningCommands = lazily(async () => (await import("./onDemand.ts")).RunningCommands);

const UndoneNote = lazily(async () => (await import("./onDemand.ts")).UndoneNote);

export function App({ store }: { store: Store }) {
  usePanelKeys(store);
  useKeptFocus();
  useCutTextTitles();
  return (
    <main class="panel">
      <Header store={store} />
      {store.history.isOpen.value ? <HistoryView store={store} /> : <Chat store={store} />}
      <Announcement store={store} />
      <PictureViewer store={store} />
    </main>
  );
}

function Chat({ store }: { store: Store }) {
  const dock = useRef<HTMLDivElement>(null);
  useWaitingFocus(store, dock);
  return (
    <>
      {store.hasAgents.value && <AgentTree store={store} />}
      <Plan store={store} />
      <AgentBar store={store} />
      <Conversation store={store} />
      <div class="dock" ref={dock}>
        <ApprovalDock store={store} />
        {store.hostState.value.questions.slice(0, 1).map((question) => (
          <QuestionCard key={question.id} question={question} post={store.post} />
        ))}
        {store.hostState.value.runs.questions.slice(0, 1).map((question) => (
          <BudgetCard key={question.id} question={question} store={store} />
        ))}
        {store.hostState.value.grants.length > 0 && <Grants store={store} />}
        <Notices store={store} />
        <RewindNote store={store} />
        {store.hostState.value.undoneEdits !== undefined && <UndoneNote store={store} />}
        {store.hostState.value.commands.length > 0 && <RunningCommands store={store} />}
        {store.hostState.value.queue.length > 0 && <Queue store={store} />}
        {store.hostState.value.pendingEdits.length > 0 && <PendingEdits store={store} />}
      </div>
      <ComposerBox store={store} />
      <UsageLine store={store} />
    </>
  );
}

/** The one place that screen readers hear from, at most every two seconds. */
function Announcement({ store }: { store: Store }) {
  return (
    <>
      {store.isStopArmed.value && <p class="hint armed">{t("Press Esc again to stop all agents.")}</p>}
      <div class="hidden-words" role="status" aria-label={t("Announcements")} aria-live="polite">
        {store.announcer.text.value}
      </div>
    </>
  );
}

function Header({ store }: { store: Store }) {
  const title = store.history.isOpen.value ? t("History") : visible(store.hostState.value.title ?? "Arbor");
  return (
    <header class="header">
      <h1 title={title}>{title}</h1>
      {store.isRunning.value && (
        <Button class="stop" title={t("Stop all agents (Esc Esc)")} onClick={() => store.post({ type: "stop" })}>
          <Icon name="debug-stop" slot="start" />
          <span class="stop-word">{t("Stop")}</span>
        </Button>
      )}
      {store.hasAgents.value && (
        <IconButton
          icon="link-external"
          label={t("Open in editor")}
          onClick={() => store.post({ type: "openInEditor" })}
        />
      )}
      <IconButton
        icon="history"
        label={t("History")}
        isExpanded={store.history.isOpen.value}
        onClick={() => (store.history.isOpen.peek() ? store.closeHistory() : store.openHistory())}
      />
      <IconButton icon="add" label={t("New chat")} onClick={() => store.post({ type: "newChat" })} />
    </header>
  );
}
