import type { Attachment } from "../../../../protocol/attachments.ts";
import { UserError } from "../../../common/userError.ts";
import type { Conversation } from "../../conversation.ts";
import { type PromptContext, promptFor, promptNames } from "./prompts.ts";
import { editorCommands } from "./slashCommands.ts";

export interface CommandCall {
  name: string;
  /** What stands after the name. */
  text: string;
  attachments: readonly Attachment[];
  whenBusy: "queue" | "steer";
}

export interface CommandActions {
  conversation: Pick<Conversation, "send">;
  context(): PromptContext;
  execute(editorCommand: string): Promise<void>;
  /** Gives words back to the composer. */
  giveBack(text: string, attachments: readonly Attachment[]): void;
}

/** Does what a slash and its name ask for. A name that is none is a word like others. */
export async function runCommand(call: CommandCall, actions: CommandActions): Promise<void> {
  const { name, text, attachments, whenBusy } = call;
  const written = text === "" ? `/${name}` : `/${name} ${text}`;
  const command = Object.hasOwn(editorCommands, name) ? editorCommands[name] : undefined;
  if (command !== undefined) return actions.execute(command);
  const known = promptNames.find((each) => each === name);
  if (known === undefined) {
    await actions.conversation.send(written, attachments, whenBusy);
    return;
  }
  const prompt = promptFor(known, text, attachments, actions.context());
  if (!prompt.ok) {
    actions.giveBack(written, attachments);
    throw new UserError(prompt.problem);
  }
  await actions.conversation.send(prompt.text, prompt.attachments, whenBusy);
}
