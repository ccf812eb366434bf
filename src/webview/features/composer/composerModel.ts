import type { ReadonlySignal } from "@preact/signals";
import type { UserMessage } from "../../../agent/types.ts";
import { attachmentsOf } from "../../../protocol/attachments.ts";
import type { Rewind } from "../../../protocol/hostEvents.ts";
import type { Intent, PanelStatus } from "../../../protocol/messages.ts";
import type { SlashCommand } from "../../../protocol/suggestions.ts";
import type { PanelHost } from "../../host.ts";
import type { EnlargedPicture } from "../../model/attachments.ts";
import type { ChatModel } from "../../model/chatModel.ts";
import { typedText } from "../../model/messages.ts";
import { type Attaching, createAttaching } from "./attaching.ts";
import { type CompletionModel, createCompletion } from "./completion.ts";
import { type Composer, createComposer } from "./composer.ts";
import { slashAction } from "./slash.ts";

/** All about the message that is being written. */
export interface ComposerModel {
  readonly draft: Composer;
  readonly completion: CompletionModel;
  readonly attaching: Attaching;
  readonly status: ReadonlySignal<PanelStatus | undefined>;
  readonly isRunning: ReadonlySignal<boolean>;
  /** A new object each time the composer shall take the focus. */
  readonly focusRequest: ReadonlySignal<object | undefined>;
  readonly post: (intent: Intent) => void;
  send(whenBusy: "queue" | "steer"): void;
  /** What the user sent before (1) or after (-1) what is recalled; false when there is none. */
  recall(step: 1 | -1): boolean;
  enlarge(picture: EnlargedPicture): void;
  /** Puts a sent message back to be changed: the host rewinds, asking first where files are restored, then it is composed. */
  editAndResend(message: UserMessage): void;
  /** Rewinds and leaves the composer alone. */
  rewindTo(message: UserMessage): void;
  /** A rewind was made; true when it was asked for by `editAndResend`: its text is in the composer. */
  followRewind(rewind: Rewind): boolean;
}

export interface ComposerModelOptions {
  chat: ChatModel;
  saved: PanelHost["saved"];
  focusRequest: ReadonlySignal<object | undefined>;
  enlarge(picture: EnlargedPicture): void;
  /** After a message was sent. */
  onSent(): void;
  /** What the chat used, and what it cost. */
  showUsage(): void;
}

export function createComposerModel(options: ComposerModelOptions): ComposerModel {
  const { chat, saved, focusRequest, enlarge, onSent } = options;
  const { post, timing } = chat;
  const rootMessages = () => chat.root.peek()?.messages ?? [];
  const commands = () => usableCommands(chat);
  const draft = createComposer({
    post,
    timing,
    saved,
    command(text, attachments, whenBusy) {
      const lastMessageId = rootMessages().findLast(({ role }) => role === "user")?.id;
      const action = slashAction(text, { commands: commands(), attachments, whenBusy, lastMessageId });
      if (action?.shows === "usage") options.showUsage();
      return action;
    },
  });
  const completion = createCompletion({ post, commands, runningAgents: chat.runningAgents });
  const attaching = createAttaching(draft, post);
  let resent: UserMessage | undefined;

  return {
    draft,
    completion,
    attaching,
    status: chat.status,
    isRunning: chat.isRunning,
    focusRequest,
    post,
    enlarge,
    send(whenBusy) {
      // What is still being read belongs to this message.
      if (attaching.reading.peek() > 0 || !draft.send(whenBusy)) return;
      attaching.clearProblem();
      completion.follow("", 0);
      onSent();
    },
    recall: (step) =>
      draft.recall(
        step,
        rootMessages().flatMap((message) => (message.role === "user" ? [typedText(message)] : [])),
      ),
    editAndResend(message) {
      resent = message;
      post({ type: "rewind", messageId: message.id, what: "both", isResend: true });
    },
    rewindTo(message) {
      // An earlier question may have been answered with no, which is not reported.
      resent = undefined;
      post({ type: "rewind", messageId: message.id, what: "both" });
    },
    followRewind(rewind) {
      // With the files alone reverted the message is still in the conversation.
      if (resent?.id !== rewind.messageId || rewind.what === "files") return false;
      draft.compose(typedText(resent), attachmentsOf(resent));
      resent = undefined;
      return true;
    },
  };
}

/** What can be done with this chat now. */
function usableCommands({ latest, isRunning, root }: ChatModel): SlashCommand[] {
  return (latest().status?.commands ?? []).filter(({ name }) => {
    if (name === "stop") return isRunning.peek();
    return name === "rewind" || name === "compact" ? (root.peek()?.messages ?? []).length > 0 : true;
  });
}
