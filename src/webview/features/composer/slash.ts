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
  /** What the panel shows on its own. */
  shows?: "usage";
}

/** Undefined for a text that is no command here: it is sent as it is. */
export function slashAction(text: string, context: SlashContext): SlashAction | undefined {
  const [, name, rest = ""] = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  const command = context.commands.find((known) => known.name === name);
  if (name === undefined || command === undefined) return undefined;
  const input = rest.trim();
  if (input !== "" && !command.takesText) return undefined;
  // Another program's command may have the name of one of ours.
  const ours = command.group === undefined ? own(name, input, context) : undefined;
  return ours ?? hosted(command, input, context);
}

/** Commands for which there is an intent of their own. */
function own(name: string, text: string, context: SlashContext): SlashAction | undefined {
  const alone = (intent: Intent): SlashAction => ({ intents: [intent], takesAttachments: false });
  switch (name) {
    case "new":
    case "clear":
      return alone({ type: "newChat" });
    case "stop":
      return alone({ type: "stop" });
    case "cost":
      return { intents: [], takesAttachments: false, shows: "usage" };
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
      if (text === "") return alone(mode);
      const { attachments, whenBusy } = context;
      return {
        intents: [mode, { type: "send", text, attachments: [...attachments], whenBusy }],
        takesAttachments: true,
      };
    }
    default:
      return undefined;
  }
}

/** A command that takes text makes a message of it, with what is attached. */
function hosted({ name, takesText }: SlashCommand, text: string, { attachments, whenBusy }: SlashContext): SlashAction {
  const attached = takesText ? [...attachments] : [];
  return { intents: [{ type: "command", name, text, attachments: attached, whenBusy }], takesAttachments: takesText };
}
