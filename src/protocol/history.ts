import type * as z from "zod";
import type { historyItemSchema } from "./hostMessageSchemas.ts";

/** A chat as the history lists it. */
export type HistoryItem = z.infer<typeof historyItemSchema>;
export type ChatStateName = HistoryItem["state"];

/** Rows that are asked for at first, and at each "Show more". */
export const historyPage = 50;
