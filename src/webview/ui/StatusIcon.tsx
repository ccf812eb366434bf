import { type ShownStatus, statusTexts } from "../model/agents.ts";

const icons: Readonly<Record<ShownStatus, string>> = {
  running: "circle-filled",
  waiting: "report",
  done: "check",
  error: "error",
  aborted: "circle-slash",
  limit: "warning",
};

/** Each status has an icon of its own; running ones breathe, since twenty turning wheels would not be calm. */
export function StatusIcon({ status, title }: { status: ShownStatus; title?: string | undefined }) {
  return (
    <span
      class={`status-icon codicon codicon-${icons[status]}`}
      data-status={status}
      title={title ?? statusTexts[status]}
      aria-hidden="true"
    />
  );
}
