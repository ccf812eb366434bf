import type { AgentMessage, UserMessage } from "../../agent/index.ts";

/** What agents are told when plans are to be made, and when that is over. It stands where it was said: later requests repeat it. */
export const planNote = `<mode>
Plan mode is on: the user wants a plan, not changes. You can read, search and ask. Nothing can be changed, run or fetched, by you or by agents you delegate to, until the user leaves this mode. Find out what is needed, then answer with the plan: its steps in order, with the files and places that each concerns.
</mode>`;

const endNote = `<mode>
Plan mode is off: changes, commands and fetches are possible again. Carry out what the user asks for.
</mode>`;

/** What an agent knows: its messages, and the system prompt that it began with. */
interface Heard {
  messages: readonly AgentMessage[];
  systemPrompt: string;
}

/** What is to be said of the mode to an agent that knows something else; undefined when it knows. */
export function modeNote(heard: Heard, isPlanning: boolean): string | undefined {
  if (knowsOfPlanning(heard) === isPlanning) return undefined;
  return isPlanning ? planNote : endNote;
}

function knowsOfPlanning({ messages, systemPrompt }: Heard): boolean {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    // What was condensed is not shown any more.
    if (message === undefined || message.role === "summary") break;
    if (message.role !== "user" && message.role !== "toolResult") continue;
    const last = message.content.at(-1);
    if (last?.type !== "text") continue;
    if (last.text.endsWith(planNote)) return true;
    if (last.text.endsWith(endNote)) return false;
  }
  return systemPrompt.includes(planNote);
}

/** A message of the user's with what the agent has to know beside it, the mode last; shown are the user's words alone. */
export function withNotes(message: UserMessage, notes: readonly (string | undefined)[]): UserMessage {
  const known = notes.filter((note) => note !== undefined);
  if (known.length === 0) return message;
  const content: UserMessage["content"] = [...message.content, { type: "text", text: known.join("\n\n") }];
  return { ...message, content, meta: { ...message.meta, noted: true } };
}
