import { t } from "@vscode/l10n";
import { plural } from "../text/format.ts";
import { type ShownStatus, statusTexts } from "./agents.ts";

/** How many agents there are and how they do: `8 agents · 5 done · 1 failed · 2 need you`. */
export function countsText(statuses: readonly ShownStatus[]): string {
  const count = (...wanted: ShownStatus[]) => statuses.filter((status) => wanted.includes(status)).length;
  const [done, failed, stopped, waiting] = [count("done"), count("error"), count("aborted", "limit"), count("waiting")];
  const parts = [
    plural(statuses.length, t("{0} agent", statuses.length), t("{0} agents", statuses.length)),
    done > 0 && `${done} ${statusTexts.done}`,
    failed > 0 && `${failed} ${statusTexts.error}`,
    stopped > 0 && `${stopped} ${statusTexts.aborted}`,
    waiting > 0 && plural(waiting, t("{0} needs you", waiting), t("{0} need you", waiting)),
  ];
  return parts.filter((part) => part !== false).join(" · ");
}
