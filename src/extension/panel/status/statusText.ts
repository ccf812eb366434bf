import { t } from "@vscode/l10n";
import { visibleText } from "../../approvals/requestText.ts";

export interface ShownActivity {
  running: readonly string[];
  waiting: readonly { agentPaths: readonly (readonly string[])[]; what: string }[];
}

export interface StatusText {
  text: string;
  tooltip: string;
  /** For screen readers, without the icon. */
  label: string;
}

const mostNamed = 8;
const longest = 60;

/** What the status bar says of all chats; undefined when there is nothing to say. */
export function statusText({ running, waiting }: ShownActivity): StatusText | undefined {
  const parts = [
    ...(running.length > 0 ? [t("{0} running", running.length)] : []),
    ...(waiting.length > 0 ? [t("{0} waiting", waiting.length)] : []),
  ];
  if (parts.length === 0) return undefined;
  const words = parts.join(" · ");
  return { text: `$(hubot) ${words}`, tooltip: tooltipOf({ running, waiting }), label: t("Arbor: {0}", words) };
}

function tooltipOf({ running, waiting }: ShownActivity): string {
  const waits = waiting.map(({ agentPaths, what }) => {
    const names = agentPaths.map((path) => path.map(visibleText).join(" › "));
    return t("{0} waits for you: {1}", names.join(", "), clipped(what));
  });
  const runs = running.length === 0 ? [] : [t("Running: {0}", shortList(running.map(visibleText)).join(", "))];
  return [...shortList(waits), ...runs].join("\n");
}

function shortList(all: readonly string[]): string[] {
  const rest = all.length - mostNamed;
  return rest > 0 ? [...all.slice(0, mostNamed), t("and {0} more", rest)] : [...all];
}

function clipped(text: string): string {
  const line = visibleText(text).replace(/\s+/g, " ").trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
