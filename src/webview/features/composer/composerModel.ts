import { type Signal, signal } from "@preact/signals";
import type { AgentMessage, UserMessage } from "../../../agent/types.ts";
import { attachmentsOf } from "../../../protocol/attachments.ts";
import type { Rewind } from "../../../protocol/hostEvents.ts";
import type { Intent } from "../../../protocol/messages.ts";
import type { SlashCommand } from "../../../protocol/suggestions.ts";
import { typedText } from "../../model/attachments.ts";
import type { Timing } from "../../timing.ts";
import { type Attaching, createAttaching } from "./attaching.ts";
import { type CompletionModel, createCompletion, type RunningAgent } from "./completion.ts";
import { type Composer, createComposer } from "./composer.ts";
import { slashAction } from "./slash.ts";

/** All about the message that is being written. */
export interface Composing {
  readonly composer: Composer;
  readonly completing: CompletionModel;
  readonly attaching: Attaching;
  /** The picture that is shown large. */
  readonly enlarged: Signal<{ url: string; name: string } | undefined>;
}

/** What is known of the chat on show when a message is written. */
export interface ChatFacts {
  commands: readonly SlashCommand[];
  isRunning: boolean;
  /** Of the root agent. */
  messages: readonly AgentMessage[];
  runningAgents: readonly RunningAgent[];
}

export interface ComposingOptions {
  post(intent: Intent): void;
  timing: Pick<Timing, "later">;
  saved: { chatId?: string; draft?: string };
  facts(): ChatFacts;
}

export function createComposing({ post, timing, saved, facts }: ComposingOptions): Composing {
  const composer = createComposer({
    post,
    timing,
    saved,
    command(text, attachments, whenBusy) {
      const known = facts();
      const lastMessageId = known.messages.findLast(({ role }) => role === "user")?.id;
      return slashAction(text, { commands: usable(known), attachments, whenBusy, lastMessageId });
    },
  });
  return {
    composer,
    completing: createCompletion({
      post,
      commands: () => usable(facts()),
      runningAgents: () => facts().runningAgents,
    }),
    attaching: createAttaching(composer, post),
    enlarged: signal(undefined),
  };
}

/** What can be done with this chat now. */
function usable({ commands, isRunning, messages }: ChatFacts): SlashCommand[] {
  return commands.filter(({ name }) => {
    if (name === "stop") return isRunning;
    return name === "rewind" || name === "compact" ? messages.length > 0 : true;
  });
}

/** Takes a sent message back to be written anew: the host rewinds, asking first where files go back, and then its words are composed. */
export interface Resending {
  start(message: UserMessage): void;
  /** Rewinds and leaves the composer alone. */
  rewind(message: UserMessage): void;
  /** A rewind was made; true when it was the one asked for here and its words stand in the composer. */
  follow(rewind: Rewind): boolean;
}

export function createResending(post: (intent: Intent) => void, composer: Composer): Resending {
  let asked: UserMessage | undefined;
  return {
    start(message) {
      asked = message;
      post({ type: "rewind", messageId: message.id, what: "both", isResend: true });
    },
    rewind(message) {
      // An earlier question may have been answered with no, of which nobody tells.
      asked = undefined;
      post({ type: "rewind", messageId: message.id, what: "both" });
    },
    follow(rewind) {
      // With the files alone taken back the message still stands where it was.
      if (asked?.id !== rewind.messageId || rewind.what === "files") return false;
      composer.compose(typedText(asked), attachmentsOf(asked));
      asked = undefined;
      return true;
    },
  };
}
