import { type Signal, signal } from "@preact/signals";
import type { AgentMessage } from "../../../agent/types.ts";
import type { Intent } from "../../../protocol/messages.ts";
import type { SlashCommand } from "../../../protocol/suggestions.ts";
import type { Timing } from "../../timing.ts";
import { type Attaching, createAttaching } from "./attaching.ts";
import { type Completing, createCompleting, type RunningAgent } from "./completing.ts";
import { type Composer, createComposer } from "./composer.ts";
import { slashAction } from "./slash.ts";

/** All about the message that is being written. */
export interface Composing {
  readonly composer: Composer;
  readonly completing: Completing;
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
    completing: createCompleting({
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
