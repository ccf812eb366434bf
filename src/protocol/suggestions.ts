import type { Attachment } from "./attachments.ts";

/** One line of the list that opens while a mention is typed: what it attaches, and how it is shown. */
export interface Suggestion {
  attachment: Attachment;
  label: string;
  /** Where it is, or what it does. */
  detail?: string;
  /** What is in the text for it, without the `@`. */
  mention: string;
}

/** `symbol` is asked for by `@#`. */
export const suggestionKinds = ["mention", "symbol"] as const;
export type SuggestionKind = (typeof suggestionKinds)[number];

/** What can be done by a slash and its name. Only what works here is listed. */
export interface SlashCommand {
  /** Without the slash. */
  name: string;
  description: string;
  /** Words may follow it. */
  takesText: boolean;
}
