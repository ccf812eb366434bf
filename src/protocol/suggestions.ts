import type * as z from "zod";
import type { slashCommandSchema, suggestionSchema } from "./hostMessageSchemas.ts";

export type Suggestion = z.infer<typeof suggestionSchema>;

/** `symbol` is asked for by `@#`. */
export const suggestionKinds = ["mention", "symbol"] as const;
export type SuggestionKind = (typeof suggestionKinds)[number];

export type SlashCommand = z.infer<typeof slashCommandSchema>;
