import type { Attachment } from "../../../protocol/attachments.ts";
import type { Intent } from "../../../protocol/messages.ts";
import type { SlashCommand } from "../../../protocol/suggestions.ts";

export interface SlashContext {
  commands: readonly SlashCommand[];
  attachments: readonly Attachment[];
  whenBusy: "queue" | "steer";
  /** The last message of the user's; undefined before the first. */
  lastMessageId: string | undefined;
}

/** What the panel asks of the host for a text that begins with a command, and whether it takes what is attached along. */
export interface SlashAction {
  intents: Intent[];
  takesAttachments: boolean;
}

/** Undefined for a text that is no command here: it is sent as it is. */
export function slashAction(text: string, context: SlashContext): SlashAction | undefined {
  const [, name, rest = ""] = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  const command = context.commands.find((known) => known.name === name);
  if (name === undefined || command === undefined) return undefined;
  const words = rest.trim();
  if (words !== "" && !command.takesText) return undefined;
  return own(name, words, context) ?? hosted(command, words, context);
}

/** Commands for which there is an intent of their own. */
function own(name: string, words: string, context: SlashContext): SlashAction | undefined {
  const alone = (intent: Intent): SlashAction => ({ intents: [intent], takesAttachments: false });
  switch (name) {
    case "new":
      return alone({ type: "newChat" });
    case "stop":
      return alone({ type: "stop" });
    case "model":
      return alone({ type: "selectModel" });
    case "compact":
      return alone({ type: "compact" });
    case "rewind":
      return context.lastMessageId === undefined
        ? { intents: [], takesAttachments: false }
        : alone({ type: "rewind", messageId: context.lastMessageId, what: "both" });
    case "plan": {
      const mode: Intent = { type: "setMode", mode: "plan" };
      if (words === "") return alone(mode);
      const { attachments, whenBusy } = context;
      return {
        intents: [mode, { type: "send", text: words, attachments: [...attachments], whenBusy }],
        takesAttachments: true,
      };
    }
    default:
      return undefined;
  }
}

/** What takes words makes a message of them, with what is attached. */
function hosted({ name, takesText }: SlashCommand, text: string, { attachments, whenBusy }: SlashContext): SlashAction {
  const carried = takesText ? [...attachments] : [];
  return { intents: [{ type: "command", name, text, attachments: carried, whenBusy }], takesAttachments: takesText };
}
