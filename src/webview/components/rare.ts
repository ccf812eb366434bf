// First, so that what both this chunk and the panel use finds the language of the user.
import "../words.ts";

/** What is asked for now and then: one chunk, loaded when the first of it is shown. */
export { AgentDetails } from "./AgentDetails.tsx";
export { FindBar } from "./FindBar.tsx";
export { GaugeDialog } from "./GaugeDialog.tsx";
export { Grants } from "./Grants.tsx";
export { HistoryView } from "./history/HistoryView.tsx";
export { InterruptedNote, OnDiskAnswer } from "./InterruptedEdit.tsx";
export { MessageAgent } from "./MessageAgent.tsx";
export { PendingEdits } from "./PendingEdits.tsx";
export { QuestionCard } from "./QuestionCard.tsx";
export { Queue } from "./Queue.tsx";
export { RewindNote } from "./RewindNote.tsx";
export { RunningCommands } from "./RunningCommands.tsx";
export { BudgetCard } from "./runs/BudgetCard.tsx";
export { UndoneNote } from "./UndoneNote.tsx";
