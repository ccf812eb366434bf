import { t } from "@vscode/l10n";
import type { Attachment, PlaceAttachment } from "../../../../protocol/attachments.ts";
import { requests } from "../../../common/requests.ts";

/** What the editor shows while a prompt is made. */
export interface PromptContext {
  selection?: PlaceAttachment;
  /** Path of the file in the active editor. */
  activeFile?: string;
  problemCount: number;
}

export type Prompt = { ok: true; text: string; attachments: Attachment[] } | { ok: false; problem: string };

export const promptNames = ["explain", "fix", "tests", "review"] as const;
export type PromptName = (typeof promptNames)[number];

/** The message that a command stands for: its words, then those of the user, and what it is about. */
export function promptFor(
  name: PromptName,
  text: string,
  given: readonly Attachment[],
  context: PromptContext,
): Prompt {
  switch (name) {
    case "explain":
      return aboutCode(requests.explainWhy(), text, given, context);
    case "tests":
      return aboutCode(
        t("Write tests for this code, in the way the project's other tests are written."),
        text,
        given,
        context,
      );
    case "fix":
      return fix(text, given, context);
    case "review":
      return {
        ok: true,
        text: joined(t("Review my changes since the last commit: look for mistakes and for what is missing."), text),
        attachments: [...given, { kind: "diff" }],
      };
    default:
      name satisfies never;
      throw new Error("A prompt of an unknown name.");
  }
}

function aboutCode(words: string, text: string, given: readonly Attachment[], context: PromptContext): Prompt {
  const shown = codeOf(given, context);
  // With words of one's own the code may be named among them.
  if (shown.length === 0 && text === "") {
    return { ok: false, problem: t("Open a file or select some code first, or name a file with @.") };
  }
  return {
    ok: true,
    text: joined(words, text),
    attachments: [...given, ...shown.filter((each) => !given.includes(each))],
  };
}

function fix(
  text: string,
  given: readonly Attachment[],
  { selection, activeFile, problemCount }: PromptContext,
): Prompt {
  if (problemCount === 0) {
    if (text === "" && given.length === 0) {
      return { ok: false, problem: t("The editor shows no problems. Write after /fix what is wrong.") };
    }
    return aboutCode(requests.fixCode(), text, given, {
      problemCount,
      ...(selection && { selection }),
      ...(activeFile !== undefined && { activeFile }),
    });
  }
  const place = given.length > 0 || selection === undefined ? [] : [selection];
  return {
    ok: true,
    text: joined(requests.fixShownProblems(), text),
    attachments: [...given, ...place, { kind: "problems" }],
  };
}

/** What was attached, or else what is selected, or else the file on show. */
function codeOf(given: readonly Attachment[], { selection, activeFile }: PromptContext): readonly Attachment[] {
  if (given.length > 0) return given;
  if (selection !== undefined) return [selection];
  return activeFile === undefined ? [] : [{ kind: "file", path: activeFile }];
}

function joined(words: string, text: string): string {
  return text === "" ? words : `${words}\n\n${text}`;
}
