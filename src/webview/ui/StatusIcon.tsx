import { type AgentStatus, statusWords } from "../model/agentStatus.ts";

const icons: Readonly<Record<AgentStatus, string>> = {
  running: "circle-filled",
  waiting: "report",
  done: "check",
  error: "error",
  aborted: "circle-slash",
  limit: "warning",
};

/** Each status has a shape of its own; running ones breathe, since twenty turning wheels would not be calm. */
export function StatusIcon({ status }: { status: AgentStatus }) {
  return (
    <span
      class={`status-icon codicon codicon-${icons[status]}`}
      data-status={status}
      title={statusWords[status]}
      aria-hidden="true"
    />
  );
}
