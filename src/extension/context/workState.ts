import { type AgentMessage, textOf } from "../../agent/vocabulary/messages.ts";
import type { PendingEdits, PlanItem } from "../../protocol/hostEvents.ts";

/** What code knows of an agent's work, so that no summary can lose it. */
export interface KnownFacts {
  plan: readonly PlanItem[];
  /** Edits that are proposed, by file, with how many changes each. */
  proposed: readonly { path: string; hunks: number }[];
  /** Edits that are written and wait to be kept. */
  written: readonly PendingEdits[];
  /** Files that the agent has seen, the latest last. */
  files: readonly { path: string; version: string }[];
}

const opening = "<known_facts>";
const closing = "</known_facts>";
const maxFiles = 60;
const maxRequestLength = 6_000;
const ends: Readonly<Record<PlanItem["status"], string>> = {
  pending: "",
  in_progress: " (in progress)",
  completed: "",
};

/** A block for the end of a summary; undefined when nothing is known. `covered` are the messages that it replaces. */
export function factsBlock(facts: KnownFacts, covered: readonly AgentMessage[]): string | undefined {
  const sections = [
    section("The plan, as it is now:", planLines(facts)),
    section("Edits that wait for the user, by file:", editLines(facts)),
    section(
      "Files you have seen, with the version you saw (read one again before you rely on its text):",
      files(facts),
    ),
    section("What the user asked last, word for word:", lastRequest(covered)),
  ].filter((text) => text !== "");
  return sections.length === 0 ? undefined : [opening, sections.join("\n\n"), closing].join("\n");
}

/** A summary without the facts that were true when it was written. */
export function withoutFacts(summary: string): string {
  const start = summary.lastIndexOf(`\n${opening}\n`);
  return start < 0 || !summary.trimEnd().endsWith(closing) ? summary : summary.slice(0, start).trimEnd();
}

function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [heading, ...lines].join("\n");
}

function planLines({ plan }: KnownFacts): string[] {
  return plan.map(({ text, status }) => `- [${status === "completed" ? "x" : " "}] ${text}${ends[status]}`);
}

function editLines({ proposed, written }: KnownFacts): string[] {
  return [
    ...proposed.map(({ path, hunks }) => `- ${path}: ${hunks} proposed, not written yet`),
    ...written.map(({ path, added, removed }) => `- ${path}: +${added} -${removed} written, to be kept or undone`),
  ];
}

function files({ files: seen }: KnownFacts): string[] {
  const shown = seen.slice(-maxFiles).map(({ path, version }) => `- ${path} (${version})`);
  const left = seen.length - shown.length;
  return left > 0 ? [`- and ${left} more, earlier`, ...shown] : shown;
}

function lastRequest(covered: readonly AgentMessage[]): string[] {
  const request = covered.findLast((message) => message.role === "user");
  const text = request === undefined ? "" : textOf(request).trim();
  if (text === "") return [];
  return [text.length <= maxRequestLength ? text : `${text.slice(0, maxRequestLength)}… (cut)`];
}
