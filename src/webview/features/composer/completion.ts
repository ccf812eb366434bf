import type { SlashCommand, Suggestion, SuggestionKind } from "../../../protocol/suggestions.ts";

/** What is being typed that a list can complete: from its first sign to the end of its word. */
export interface Trigger {
  kind: SuggestionKind | "command";
  start: number;
  end: number;
  /** Without the sign. */
  query: string;
}

/** One line of the list. */
export type Completion =
  | { kind: "mention"; key: string; suggestion: Suggestion }
  | { kind: "command"; key: string; command: SlashCommand };

/** Longer than any path that is typed by hand; a longer text is not looked through with each key. */
const farthestBack = 300;
const mention = /(?:^|[\s([{])@(#?)(?:"([^"\n]*)|([^\s@"]*))$/u;
const command = /^\/([\w-]*)$/;

/** What the caret stands in: a name after a slash at the text's start, or a mention that begins a word. */
export function triggerAt(text: string, caret: number): Trigger | undefined {
  const from = Math.max(0, caret - farthestBack);
  const before = text.slice(from, caret);
  const named = from === 0 ? command.exec(before) : null;
  if (named !== null) return { kind: "command", start: 0, end: wordEnd(text, caret), query: named[1] ?? "" };
  const found = mention.exec(before);
  if (found === null) return undefined;
  const [whole, hash, quoted, plain] = found;
  const query = quoted ?? plain ?? "";
  const start = caret - (whole.length - whole.indexOf("@"));
  const end = quoted === undefined ? wordEnd(text, caret) : caret;
  return { kind: hash === "#" ? "symbol" : "mention", start, end, query };
}

function wordEnd(text: string, caret: number): number {
  const rest = /^[^\s@"]*/u.exec(text.slice(caret, caret + farthestBack));
  return caret + (rest?.[0].length ?? 0);
}

/** What takes the place of the trigger's text. */
export function completedText(completion: Completion): string {
  if (completion.kind === "command") return `/${completion.command.name} `;
  return `${mentionText(completion.suggestion.mention)} `;
}

/** A mention as it stands in a text; quoted where it would end too soon. */
function mentionText(name: string): string {
  return /[\s"@]/u.test(name) ? `@"${name.replaceAll('"', "")}"` : `@${name}`;
}

/** The text without a mention that was taken back; what only begins like it stays. */
export function withoutMention(text: string, name: string): string {
  const written = mentionText(name).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return text.replace(new RegExp(`(?<=^|[\\s([{])${written}(?:$|(?=[.,;:!?)\\]}])|\\s)`, "gu"), "");
}
