import { t } from "@vscode/l10n";
import { type Attachment, isSameAttachment, type PlaceAttachment } from "../../../protocol/attachments.ts";
import type { SlashCommand } from "../../../protocol/suggestions.ts";
import { requests } from "../../common/requests.ts";
import { UserError } from "../../common/userError.ts";
import type { Conversation } from "../conversation.ts";

/** What decides which commands there are. */
export interface CommandFacts {
  /** Commands of the editor that are registered now. */
  isRegistered(command: string): boolean;
  canCompact: boolean;
  hasRepository: boolean;
  folderOpen: boolean;
}

/** The editor's commands behind a slash; the panel does the others by intents of its own. */
const editorCommands: Readonly<Record<string, string>> = {
  history: "arbor.openHistory",
  export: "arbor.exportChat",
};

/** What a slash means without any file, also where it can't be done. */
export const slashCommandNames: readonly string[] = [
  ...["explain", "fix", "tests", "review"],
  ...["new", "stop", "rewind", "compact", "plan", "model", "team"],
  ...Object.keys(editorCommands),
];

/** The commands that work here and now, in the order in which they are offered. */
export function listSlashCommands(facts: CommandFacts): SlashCommand[] {
  const { isRegistered, canCompact, hasRepository, folderOpen } = facts;
  const entry = (name: string, description: string, takesText = false) => ({ name, description, takesText });
  return [
    ...(folderOpen
      ? [
          entry("explain", t("Explain this code"), true),
          entry("fix", t("Fix the problems"), true),
          entry("tests", t("Write tests for this code"), true),
        ]
      : []),
    ...(hasRepository ? [entry("review", t("Review my changes"), true)] : []),
    entry("new", t("Start a new chat")),
    entry("clear", t("Start a new chat")),
    entry("cost", t("Show tokens and cost")),
    entry("stop", t("Stop all agents")),
    entry("rewind", t("Back to before the last message")),
    ...(canCompact ? [entry("compact", t("Summarize to make room"))] : []),
    entry("plan", t("Plan only, change nothing"), true),
    entry("model", t("Choose another model")),
    ...Object.entries(editorCommands)
      .filter(([, command]) => isRegistered(command))
      .map(([name]) => entry(name, name === "history" ? t("Show earlier chats") : t("Export this chat"))),
  ];
}

/** What the editor shows while a prompt is made. */
export interface PromptContext {
  selection?: PlaceAttachment;
  /** Path of the file in the active editor. */
  activeFile?: string;
  problemCount: number;
}

export type Prompt = { ok: true; text: string; attachments: Attachment[] } | { ok: false; problem: string };

const promptNames = ["explain", "fix", "tests", "review"] as const;
export type PromptName = (typeof promptNames)[number];

/** The message that a command means: its text, then the user's, and what it is about. */
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

export interface CommandCall {
  name: string;
  /** What is after the name. */
  text: string;
  attachments: readonly Attachment[];
  whenBusy: "queue" | "steer";
}

export interface CommandActions {
  conversation: Pick<Conversation, "send">;
  context(): PromptContext;
  /** What a command attaches that a file describes; undefined where none describes one of this name. */
  attachmentsOf(name: string, text: string): readonly Attachment[] | undefined;
  execute(editorCommand: string): Promise<void>;
  /** What a prompt of an MCP server says; undefined for a command that is none of theirs. */
  serverPrompt(command: { name: string; text: string }): Promise<string | undefined>;
  /** Gives words back to the composer. */
  returnToComposer(text: string, attachments: readonly Attachment[]): void;
}

/** Does what a slash and its name ask for. A name that is none is a word like others. */
export async function runCommand(call: CommandCall, actions: CommandActions): Promise<void> {
  const { name, text, attachments, whenBusy } = call;
  const written = text === "" ? `/${name}` : `/${name} ${text}`;
  const command = Object.hasOwn(editorCommands, name) ? editorCommands[name] : undefined;
  if (command !== undefined) return actions.execute(command);
  const known = promptNames.find((each) => each === name);
  if (known === undefined) {
    const prompt = await actions.serverPrompt({ name, text });
    if (prompt !== undefined) return actions.returnToComposer(prompt, attachments);
    const added = attachmentsOrReturn(call, actions, written)?.filter(
      (each) => !attachments.some((a) => isSameAttachment(a, each)),
    );
    await actions.conversation.send(written, [...attachments, ...(added ?? [])], whenBusy);
    return;
  }
  const prompt = promptFor(known, text, attachments, actions.context());
  if (!prompt.ok) {
    actions.returnToComposer(written, attachments);
    throw new UserError(prompt.problem);
  }
  await actions.conversation.send(prompt.text, prompt.attachments, whenBusy);
}

/** A command that can't be run goes back to the composer. */
function attachmentsOrReturn({ name, text, attachments }: CommandCall, actions: CommandActions, written: string) {
  try {
    return actions.attachmentsOf(name, text);
  } catch (error) {
    actions.returnToComposer(written, attachments);
    throw error;
  }
}
