import { t } from "@vscode/l10n";
import type { Attachment, PlaceAttachment, TextAttachment } from "../../../protocol/attachments.ts";
import type { AskArguments } from "../../chat/compose/askCommand.ts";
import { requests } from "../../common/requests.ts";

/** A problem that the editor shows, as far as it is described here. Lines count from 1. */
export interface ShownProblem {
  line: number;
  message: string;
  /** Who found it, like `ts(2322)`. */
  source?: string;
}

/** What the caret or a selection means: lines of a workspace file, or text that is in none. */
export type Subject = (PlaceAttachment & { kind: "file" | "selection" }) | TextAttachment;

export function explain(subject: Subject): AskArguments {
  const prompt = subject.kind === "file" ? requests.explainFile() : requests.explainCode();
  return { prompt, attachments: [subject] };
}

/** The text lists the problems: the user sees what is asked for, and the agent what it has to fix. */
export function fix(path: string, problems: readonly ShownProblem[]): AskArguments {
  const lines = problems.map(({ line }) => line);
  const span = { startLine: Math.min(...lines), endLine: Math.max(...lines) };
  const head = withoutMentions(problems.length === 1 ? requests.fixProblem(path) : requests.fixProblems(path));
  const listed = problems.map(({ line, message, source }) => {
    const by = source === undefined ? "" : ` (${source})`;
    return withoutMentions(`- ${t("line {0}: {1}", line, message.trim())}${by}`);
  });
  return { prompt: [head, ...listed].join("\n"), attachments: [{ kind: "selection", path, ...span }] };
}

/** What the repository says is no request of the user's: an `@` in it attaches nothing. */
function withoutMentions(text: string): string {
  return text.replaceAll("@", "\\@");
}

/** All that the editor has found in a file. */
export function fixFile(path: string): AskArguments {
  return { prompt: requests.fixFile(path), attachments: [{ kind: "problems", path }] };
}

/** Without a selection: the command that ran last. */
export function explainFailure(selected: string | undefined): AskArguments {
  const attached: Attachment =
    selected === undefined || selected.trim() === ""
      ? { kind: "terminal" }
      : { kind: "text", name: t("terminal selection"), text: selected };
  return {
    prompt: t("This failed in the terminal. Find out why, and say what to do or fix it."),
    attachments: [attached],
  };
}

export function reviewChanges(): AskArguments {
  return {
    prompt: t(
      "Review my uncommitted changes: look for mistakes, forgotten cases and missing tests. Name the file and line of each, worst first. Change nothing.",
    ),
    attachments: [{ kind: "diff" }],
  };
}
