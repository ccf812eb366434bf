// First, so that what both this chunk and the panel use finds the language of the user.
import "../language.ts";

/** What is asked for now and then: one chunk, loaded when the first of it is shown. */
export { AgentBar } from "../features/agents/AgentBar.tsx";
export { AgentDetails } from "../features/agents/AgentDetails.tsx";
export { MessageAgent } from "../features/agents/MessageAgent.tsx";
export { TreeBar } from "../features/agents/TreeBar.tsx";
export { Approvals } from "../features/approvals/Approvals.tsx";
export { Grants } from "../features/approvals/Grants.tsx";
export { QuestionCard } from "../features/approvals/QuestionCard.tsx";
export { BudgetCard } from "../features/budget/BudgetCard.tsx";
export { BudgetRow } from "../features/budget/BudgetRow.tsx";
export { RunningCommands } from "../features/commands/RunningCommands.tsx";
export { Pickers } from "../features/composer/Pickers.tsx";
export { ExchangeView } from "../features/conversation/ExchangeView.tsx";
export { ToolDetails } from "../features/conversation/ToolDetails.tsx";
export { PendingFiles } from "../features/edits/PendingFiles.tsx";
export { FindBar } from "../features/find/FindBar.tsx";
export { GaugeDialog } from "../features/gauge/GaugeDialog.tsx";
export { HistoryView } from "../features/history/HistoryView.tsx";
export { RecentChats } from "../features/history/RecentChats.tsx";
export { Notices } from "../features/notices/Notices.tsx";
export { RewindNote, UndoneNote } from "../features/notices/RewindNotes.tsx";
export { Plan } from "../features/plan/Plan.tsx";
export { Queue } from "../features/queue/Queue.tsx";
export { PictureViewer } from "../ui/PictureViewer.tsx";
export { AgentExtras, WorkView } from "./views.tsx";
