import { t } from "@vscode/l10n";
import type { PlanItem } from "../../../protocol/hostEvents.ts";
import { plural } from "../../text/format.ts";
import { type Change, groupByFile, lineCounts } from "./changesOfRun.ts";

export const stateTexts: Readonly<Record<Change["state"], string>> = {
  proposed: t("proposed"),
  written: t("written"),
  kept: t("kept"),
  undone: t("undone"),
  superseded: t("superseded"),
};

/** The changes as Markdown, file by file, each with who made it and why. */
export function summaryText(title: string, changes: readonly Change[]): string {
  const left = changes.filter(({ state }) => state !== "undone" && state !== "superseded");
  const files = groupByFile(left).map(({ key, changes: own }) => {
    const { added, removed } = lineCounts(own);
    const authors = [...new Set(own.map(({ agent }) => agent))].join(", ");
    const reasons = [...new Set(own.flatMap(({ reason }) => reason ?? []))].map((reason) => `  - ${reason}`);
    return [`- \`${key}\` +${added} −${removed} (${authors})`, ...reasons].join("\n");
  });
  return `${[`## ${title}`, ...files].join("\n")}\n`;
}

/** A message for a commit from what is known without a model: the chat's title, what was planned, and the files. */
export function commitMessage(title: string, plan: readonly PlanItem[], changes: readonly Change[]): string {
  const left = changes.filter(({ state }) => state === "written" || state === "kept");
  const done = plan.filter(({ status }) => status === "completed").map(({ text }) => `- ${text}`);
  const files = groupByFile(left).map(({ key }) => `- ${key}`);
  const body = done.length > 0 ? done : files;
  return `${[subject(title), ...(body.length > 0 ? ["", ...body] : [])].join("\n")}\n`;
}

const maxSubject = 72;

function subject(title: string): string {
  const line = title.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  return line.length <= maxSubject ? line : `${line.slice(0, line.lastIndexOf(" ", maxSubject))}…`;
}

export function countText(changes: readonly Change[]): string {
  const files = new Set(changes.map(({ path }) => path)).size;
  return plural(files, t("{0} file", files), t("{0} files", files));
}
