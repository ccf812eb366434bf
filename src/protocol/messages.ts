import type * as z from "zod";
import type {
  hostMessageSchema,
  logEntrySchema,
  modelChoiceSchema,
  moreTextSchema,
  panelStatusSchema,
  timedEntrySchema,
} from "./hostMessageSchemas.ts";

export type { Intent } from "./intents.ts";
export type { PageTheme, ReplayRequest } from "./replayRequests.ts";

/** One line of a chat's log. */
export type LogEntry = z.infer<typeof logEntrySchema>;

/** A text delta as the panel gets it of a part that it has the beginning of. */
export type MoreText = z.infer<typeof moreTextSchema>;

/** An entry with when it was written. */
export type TimedEntry = z.infer<typeof timedEntrySchema>;

/** Host to panel, posted as JSON text (hostMessageSchemas.ts documents each). */
export type HostMessage = z.infer<typeof hostMessageSchema>;

export type PanelStatus = z.infer<typeof panelStatusSchema>;
export type ModelChoice = z.infer<typeof modelChoiceSchema>;
