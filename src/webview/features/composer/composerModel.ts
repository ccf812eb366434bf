import type { ReadonlySignal } from "@preact/signals";
import type { UserMessage } from "../../../agent/types.ts";
import { type Attachment, attachmentsOf } from "../../../protocol/attachments.ts";
import type { Rewind } from "../../../protocol/hostEvents.ts";
import type { Intent, PanelStatus } from "../../../protocol/messages.ts";
import { omittedIn, typedText } from "../../../protocol/messageTexts.ts";
import type { SlashCommand } from "../../../protocol/suggestions.ts";
import type { PanelHost } from "../../host.ts";
import type { EnlargedPicture } from "../../model/attachments.ts";
import type { ChatModel } from "../../model/chatModel.ts";
import { type Attaching, createAttaching } from "./attaching.ts";
import { type CompletionModel, createCompletion } from "./completion.ts";
import { type Composer, createComposer, type Written } from "./composer.ts";
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
  /** What the user sent in other chats. */
  prompts: readonly Prompt[];
  /** What the user sent before (1) or after (-1) what is recalled, in any chat; false when there is none. */
  recall(step: 1 | -1): boolean;
  enlarge(picture: EnlargedPicture): void;
  /** Puts a sent message back to be changed: the host rewinds, asking first where files are restored, then it is composed. */
  editAndResend(message: UserMessage): void;
  /** Rewinds to before a sent message, which is then composed. */
  rewindTo(message: UserMessage): void;
  /** Rewinds to before a sent message, which is then sent again. */
  resend(message: UserMessage): void;
  /**
   * A rewind was made, or undone; true when it was asked for here and its text is in the composer now. An undo takes the
   * text out again, unless it was changed.
   */
  followRewind(rewind: Rewind | undefined): boolean;
  /** Another chat is shown: its rewinds are others, and what is written belongs to the user. */
  forgetRewind(): void;
}

interface Prompt {
  /** In ms since the epoch. */
  at: number;
  text: string;
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
  /** What becomes of a message that left the conversation by a rewind. */
  let rewound: { message: UserMessage; isSent: boolean } | undefined;

  /** What the composer held before the message of a rewind was put into it, and since. */
  let composed: { messageId: string; before: Written; since: Written } | undefined;
  const written = (): Written => ({ text: draft.text.peek(), attachments: draft.attachments.peek() });

  function rewind(message: UserMessage, isSent: boolean, isResend: boolean): void {
    // An earlier question may have been answered with no, which is not reported.
    rewound = { message, isSent };
    post({ type: "rewind", messageId: message.id, what: "both", ...(isResend && { isResend, isSent }) });
  }

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
      // Its file may have been removed since it was chosen.
      const agents = chat.status.peek()?.agents ?? [];
      if (!agents.some(({ name }) => name === draft.answerer.peek())) draft.answerer.value = undefined;
      // What is still being read belongs to this message.
      if (attaching.reading.peek() > 0 || !draft.send(whenBusy)) return;
      attaching.clearProblem();
      completion.follow("", 0);
      onSent();
    },
    prompts: [],
    recall(step) {
      const own = rootMessages().flatMap((message) =>
        // A text that is not whole here would be sent without its end.
        message.role === "user" && omittedIn(message) === undefined
          ? [{ at: message.timestamp, text: typedText(message) }]
          : [],
      );
      const sent = [...own, ...this.prompts].sort((a, b) => a.at - b.at).map(({ text }) => text);
      return draft.recall(
        step,
        sent.filter((text, index) => text !== sent[index - 1]),
      );
    },
    editAndResend: (message) => rewind(message, false, true),
    rewindTo: (message) => rewind(message, false, false),
    resend: (message) => rewind(message, true, true),
    followRewind(rewind) {
      if (rewind?.branch !== undefined || rewind?.underWay !== undefined) return false;
      if (composed !== undefined && rewind?.messageId !== composed.messageId) {
        if (draft.text.peek() === composed.since.text) draft.put(withoutComposed(composed, draft.attachments.peek()));
        composed = undefined;
      }
      // With the files alone reverted the message is still in the conversation.
      if (rewind === undefined || rewound?.message.id !== rewind.messageId || rewind.what === "files") return false;
      const { message, isSent } = rewound;
      rewound = undefined;
      const agentId = omittedIn(message)?.source.agentId;
      if (agentId !== undefined) {
        post({ type: "composeMessage", agentId, messageId: message.id, isSent });
        return !isSent;
      }
      const [text, attachments] = [typedText(message), attachmentsOf(message)];
      const before = written();
      if (isSent) post({ type: "send", text, attachments: [...attachments], whenBusy: "queue" });
      else draft.compose(text, attachments);
      composed = isSent ? undefined : { messageId: rewind.messageId, before, since: written() };
      return !isSent;
    },
    forgetRewind() {
      rewound = undefined;
      composed = undefined;
    },
  };
}

/** As it was before the message was put in, with what was attached since. */
function withoutComposed({ before, since }: { before: Written; since: Written }, now: readonly Attachment[]): Written {
  const added = now.filter((each) => !since.attachments.includes(each));
  return { text: before.text, attachments: [...before.attachments, ...added] };
}

/** What can be done with this chat now. */
function usableCommands({ latest, isRunning, root }: ChatModel): SlashCommand[] {
  return (latest().status?.commands ?? []).filter(({ name }) => {
    if (name === "stop") return isRunning.peek();
    return name === "rewind" || name === "compact" ? (root.peek()?.messages ?? []).length > 0 : true;
  });
}
