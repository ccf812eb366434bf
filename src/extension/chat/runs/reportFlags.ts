import type { ReportCheck } from "../../../protocol/hostEvents.ts";

export type ReportFlag = NonNullable<ReportCheck["flag"]>;

/** A sub-agent's last answer, and how its run ended. */
interface Report {
  text: string;
  reason: string;
  /** Of the last answer. */
  stopReason?: string | undefined;
}

/** What is wrong with a report, if anything: a parent that goes on with it knows no more than before. */
export function reportFlag({ text, reason, stopReason }: Report): ReportFlag | undefined {
  // What failed or was stopped is no report, and its parent gets the reason.
  if (reason === "error" || reason === "aborted") return undefined;
  if (reason === "limit" || stopReason === "length") return "cut";
  if (text.trim() === "") return "empty";
  return onlyPoints(text) ? "pointer" : undefined;
}

/** A longer text says something, whatever else it refers to. */
const maxPointer = 400;
/** What is beside the references: "I have finished the task." */
const maxBeside = 80;

function onlyPoints(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed.length > maxPointer || trimmed.includes("```")) return false;
  // A dot within a file's name ends no sentence.
  const sentences = trimmed.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => sentence.trim() !== "");
  const others = sentences.filter((sentence) => !isPointer(sentence)).join(" ");
  if (others.length === trimmed.replace(/\n+/g, " ").length) return false;
  // A number, a name in code or a path beside the reference is a finding.
  return others.length <= maxBeside && !/[\d`/]|\w\.\w/.test(others);
}

const file = String.raw`[\`"']?[\w./\\-]+\.\w{1,8}\b`;

const pointers: readonly RegExp[] = [
  new RegExp(
    String.raw`^(please\s+|for\s[^,]{1,60},\s*)?(see|refer to|check|look (at|in|into)|read|open)\s[^:;=]*${file}`,
    "i",
  ),
  new RegExp(
    String.raw`\b(written|saved|stored|put|documented|described|recorded|wrote|listed|summari[sz]ed)\b[^:;=]{0,60}\b(in|into|to|at)\s[^:;=]{0,40}${file}[\`"']?[.!]?$`,
    "i",
  ),
  /\bas (described|mentioned|listed|shown|explained|noted|stated|outlined|discussed|said)?\s*(above|before|earlier|previously)\b/i,
  /\b(see|refer to)\s(the\s)?(above|previous|earlier|my (previous|earlier|last))\b/i,
  /\b(described|mentioned|listed|shown|explained|outlined|summari[sz]ed) (above|earlier|before|previously)\b/i,
  new RegExp(String.raw`^(bitte\s+)?(siehe|lies|öffne)\s[^:;=]*${file}`, "i"),
  /\b(siehe|wie) (bereits |schon )?(oben|zuvor|vorhin)\b/i,
  new RegExp(
    String.raw`\bin\s[^:;=]{0,40}${file}\s(beschrieben|geschrieben|gespeichert|festgehalten|dokumentiert)`,
    "i",
  ),
];

function isPointer(sentence: string): boolean {
  return pointers.some((pointer) => pointer.test(sentence.trim()));
}

/** For the parent's model, which goes on with it. */
export function flagNote(flag: ReportFlag): string {
  return `<report_check>\n${noteTexts[flag]}\n</report_check>`;
}

const noteTexts: Readonly<Record<ReportFlag, string>> = {
  empty: "The agent's report is empty. What it did and found is not known: find it out before you rely on it.",
  cut: "The agent's report was cut off before its end. What it says may not be all.",
  pointer: "The agent's report only points elsewhere, to what you may not have seen. Read that before you rely on it.",
};

/** For the agent, where the user does not say what is missing. */
export function followUpText(flag: ReportFlag | undefined): string {
  const reason = flag === undefined ? "The agent that asked you needs more than your report says." : reasons[flag];
  return `${reason} Report again now, in full and without references to earlier messages: what you did, what you found with paths and lines, and what is still open. The agent that reads it sees nothing of your conversation.`;
}

const reasons: Readonly<Record<ReportFlag, string>> = {
  empty: "Your report was empty.",
  cut: "Your report was cut off before its end. Be shorter.",
  pointer: "Your report only points elsewhere.",
};
