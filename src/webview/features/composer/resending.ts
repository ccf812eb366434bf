import type { UserMessage } from "../../../agent/types.ts";
import { attachmentsOf } from "../../../protocol/attachments.ts";
import type { Rewind } from "../../../protocol/hostEvents.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { typedText } from "../../model/userMessage.ts";
import type { Composer } from "./composer.ts";

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
