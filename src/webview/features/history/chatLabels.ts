import { t } from "@vscode/l10n";
import type { ChatStateName } from "../../../protocol/history.ts";

/** Each state has an icon of its own: no meaning by colour alone. */
export const stateIcons: Readonly<Record<ChatStateName, string>> = {
  idle: "comment",
  running: "circle-filled",
  waiting: "report",
  interrupted: "debug-disconnect",
  damaged: "warning",
};

/** Nothing of a chat that rests. */
export function stateText(state: ChatStateName): string[] {
  switch (state) {
    case "idle":
      return [];
    case "running":
      return [t("running")];
    case "waiting":
      return [t("waiting for you")];
    case "interrupted":
      return [t("interrupted")];
    case "damaged":
      return [t("can't be read")];
    default:
      state satisfies never;
      return [];
  }
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago something was, short enough for a row: now, 5 min, 2 h, 3 d, then the date. */
export function formatAge(then: number, now: number): string {
  const age = now - then;
  if (age < minute) return t("now");
  if (age < hour) return t("{0} min", Math.floor(age / minute));
  if (age < day) return t("{0} h", Math.floor(age / hour));
  if (age < 30 * day) return t("{0} d", Math.floor(age / day));
  return new Date(then).toISOString().slice(0, 10);
}
