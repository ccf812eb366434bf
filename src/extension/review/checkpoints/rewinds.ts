import { t } from "@vscode/l10n";
import type { AgentMessage } from "../../../agent/types.ts";
import type { HostEvent, Rewind, RewindTarget } from "../../../protocol/hostEvents.ts";
import { UserError } from "../../userError.ts";
import type { AppliedFile } from "../applied/appliedEdits.ts";
import type { AppliedReviews } from "../applied/appliedReviews.ts";
import { saveEdits } from "../applied/savedEdits.ts";
import type { Checkpoints } from "./checkpoints.ts";

/** The conversation as far as a rewind concerns it. */
export interface RewoundChat {
  readonly isRunning: boolean;
  /** Removes a message of the user's with all that followed, and gives what was removed. */
  rewindTo(messageId: string): Promise<AgentMessage[]>;
  /** Adds messages again that a rewind removed. */
  putBack(messages: readonly AgentMessage[]): void;
  emit(event: HostEvent): void;
}

export interface RewindQuestion {
  message: string;
  detail: string;
  /** What can be said other than no, the usual first. */
  choices: readonly RewindChoice[];
}

interface RewindChoice {
  button: string;
  what: RewindTarget;
}

export interface RewindDependencies {
  checkpoints: Pick<
    Checkpoints,
    "changedSince" | "lostSince" | "rewind" | "undoRewind" | "keepWithUndo" | "keptWithUndo"
  >;
  applied: Pick<AppliedReviews, "takeOut" | "putBack" | "putBackSaved">;
  /** What was chosen; undefined for no. */
  confirm(question: RewindQuestion): Promise<RewindTarget | undefined>;
  /** Runs a step when no edit is being written. */
  inTurn<T>(step: () => Promise<T>): Promise<T>;
}

interface Done extends Rewind {
  chat: RewoundChat;
  /** What left the conversation. */
  messages(): Promise<readonly AgentMessage[]>;
  /** What waited for Keep or Undo, or what was kept of it before the editor was closed. */
  pending: readonly AppliedFile[] | Promise<string | undefined>;
}

/** Takes files, the conversation or both back to before a message of the user's. The latest rewind can be undone. */
export class Rewinds {
  readonly #dependencies: RewindDependencies;
  #done: Done | undefined;

  constructor(dependencies: RewindDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Asks once; where both could go back, the user may choose one of them alone. A message that is only to be written
   * anew is asked about where files are concerned. Throws a `UserError` when it can't be done; then nothing is changed.
   */
  async rewind(chat: RewoundChat, messageId: string, asked: RewindTarget, isResend = false): Promise<void> {
    const { checkpoints, confirm, inTurn } = this.#dependencies;
    refuseWhileRunning(chat);
    const paths = asked === "conversation" ? [] : await checkpoints.changedSince(messageId);
    if (paths === undefined && asked === "files") {
      throw new UserError(t("Nothing is known of what the files held at this message. Rewind the conversation alone."));
    }
    if (asked === "files" && paths?.length === 0) {
      throw new UserError(t("No agent has changed a file since this message, so there is nothing to rewind."));
    }
    const lost = await checkpoints.lostSince(messageId);
    const isHarmless = isResend && paths?.length === 0 && lost.length === 0;
    const what = isHarmless ? asked : await confirm(question(asked, paths ?? [], lost));
    if (what === undefined) return;
    await inTurn(async () => {
      refuseWhileRunning(chat);
      const isFiles = what !== "conversation" && paths !== undefined && paths.length > 0;
      const rewound = isFiles ? await checkpoints.rewind(messageId) : [];
      const messages = what === "files" ? [] : await this.#rewindChat(chat, messageId, isFiles);
      const pending = await this.#dependencies.applied.takeOut(rewound);
      // Kept for an undo after a reload; what can't be kept is still here until then.
      if (pending.length > 0) await checkpoints.keepWithUndo(saveEdits(pending)).catch(() => undefined);
      this.#done = { messageId, what, chat, messages: async () => messages, pending };
      chat.emit({ type: "rewind_changed", undoable: { messageId, what } });
    });
  }

  /** Puts back what the latest rewind took away. */
  undo(chat: RewoundChat): Promise<void> {
    return this.#dependencies.inTurn(async () => {
      const done = this.#done;
      if (done === undefined) throw new UserError(t("There is no rewind to undo."));
      if (chat !== done.chat) throw new UserError(t("The rewind was made in another chat. Undo it there."));
      refuseWhileRunning(chat);
      const messages = done.what === "files" ? [] : await done.messages();
      const { checkpoints, applied } = this.#dependencies;
      const pending = await done.pending;
      // One that found no file to take back has left an older one's files alone.
      if (done.what !== "conversation") await checkpoints.undoRewind(done.messageId);
      if (typeof pending === "string") await applied.putBackSaved(pending);
      else if (pending !== undefined) await applied.putBack(pending);
      if (messages.length > 0) done.chat.putBack(messages);
      this.forget();
    });
  }

  /** A rewind of before the editor was closed. Of several, the first one that is adopted can be undone. */
  adopt(rewind: Rewind & Pick<Done, "messages">, chat: RewoundChat): void {
    const known = this.#done;
    if (known !== undefined && known.messageId !== rewind.messageId) {
      chat.emit({ type: "rewind_changed" });
      return;
    }
    // Marks that can't be read any more do not keep files and words from coming back.
    const { checkpoints } = this.#dependencies;
    const kept = () => checkpoints.keptWithUndo(rewind.messageId).catch(() => undefined);
    const pending = rewind.what === "conversation" ? [] : kept();
    this.#done = { ...rewind, chat, pending };
  }

  /** What happens now builds on the rewind: from here on it can't be undone. */
  forget(): void {
    const done = this.#done;
    this.#done = undefined;
    done?.chat.emit({ type: "rewind_changed" });
  }

  async #rewindChat(chat: RewoundChat, messageId: string, isFiles: boolean): Promise<AgentMessage[]> {
    try {
      return await chat.rewindTo(messageId);
    } catch (error) {
      if (isFiles) await this.#dependencies.checkpoints.undoRewind(messageId);
      throw error;
    }
  }
}

function refuseWhileRunning(chat: RewoundChat): void {
  if (chat.isRunning) throw new UserError(t("Stop the agents first, then rewind."));
}

function question(what: RewindTarget, paths: readonly string[], lost: readonly string[]): RewindQuestion {
  const files = [
    t("These files get back what they held before this message:\n{0}", listed(paths)),
    ...(lost.length > 0 ? [notRestored(lost)] : []),
    t("What happened in ignored files, and what background commands or other programs changed, is not taken back."),
  ].join("\n\n");
  const conversation = t("This message and all after it leave the conversation.");
  const parts = {
    files: [files],
    conversation: [conversation],
    both: paths.length === 0 ? [conversation, noFiles(lost)] : [files, conversation],
  };
  return {
    message: t("Rewind to before this message?"),
    detail: [...parts[what], t("You can undo this until you send the next message.")].join("\n\n"),
    choices: [
      { button: t("Rewind"), what },
      ...(what === "both" && paths.length > 0
        ? [
            { button: t("Conversation only"), what: "conversation" as const },
            { button: t("Files only"), what: "files" as const },
          ]
        : []),
    ],
  };
}

function noFiles(lost: readonly string[]): string {
  return lost.length > 0 ? notRestored(lost) : t("No agent has changed a file since.");
}

function notRestored(lost: readonly string[]): string {
  return lost.length === 1
    ? t("1 file that a command changed can't be restored:\n{0}", listed(lost))
    : t("{0} files that a command changed can't be restored:\n{1}", lost.length, listed(lost));
}

function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 10).join("\n");
  return paths.length > 10 ? t("{0}\n… and {1} more", shown, paths.length - 10) : shown;
}
