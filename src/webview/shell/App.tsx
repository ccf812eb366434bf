import { t } from "@vscode/l10n";
import { useRef } from "preact/hooks";
import { AgentBar } from "../features/agents/AgentBar.tsx";
import { AgentTree } from "../features/agents/AgentTree.tsx";
import { ApprovalDock } from "../features/approvals/ApprovalDock.tsx";
import { ComposerBox } from "../features/composer/ComposerBox.tsx";
import { Conversation } from "../features/conversation/Conversation.tsx";
import { UsageLine } from "../features/gauge/UsageLine.tsx";
import { Notices } from "../features/notices/Notices.tsx";
import { Plan } from "../features/plan/Plan.tsx";
import { lazily } from "../ui/lazily.tsx";
import { PictureViewer } from "../ui/PictureViewer.tsx";
import { Header } from "./Header.tsx";
import { usePanelKeys } from "./panelKeys.ts";
import type { Store } from "./store.ts";
import { useCutTextTitles } from "./useCutTextTitles.ts";
import { useKeptFocus } from "./useKeptFocus.ts";
import { useWaitingFocus } from "./useWaitingFocus.ts";

const BudgetCard = lazily(async () => (await import("./rare.ts")).BudgetCard);

const Grants = lazily(async () => (await import("./rare.ts")).Grants);

const HistoryView = lazily(async () => (await import("./rare.ts")).HistoryView);

const PendingEdits = lazily(async () => (await import("./rare.ts")).PendingEdits);

const QuestionCard = lazily(async () => (await import("./rare.ts")).QuestionCard);

const Queue = lazily(async () => (await import("./rare.ts")).Queue);

const RewindNote = lazily(async () => (await import("./rare.ts")).RewindNote);

const RunningCommands = lazily(async () => (await import("./rare.ts")).RunningCommands);

const UndoneNote = lazily(async () => (await import("./rare.ts")).UndoneNote);

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
