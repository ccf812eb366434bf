import * as z from "zod";

/** Of the theme: what an exported page has to bring along, since no editor is around it. */
const themeSchema = z.object({
  kind: z.enum(["vscode-dark", "vscode-light", "vscode-high-contrast", "vscode-high-contrast-light"]),
  variables: z.record(
    z.string().regex(/^--vscode-[\w-]+$/),
    z
      .string()
      .regex(/^[^<>{};\\]*$/)
      .max(1_000),
  ),
});

/**
 * What the page of a replay asks of the host. It shows text from models and tools, so the host validates each request and
 * drops what does not match. Nothing that the panel can do is among them but to copy.
 */
export const replayRequestSchema = z.discriminatedUnion("type", [
  /** Answered by `recording`, and again with what is added to the log. */
  z.object({ type: z.literal("ready") }),
  /** A copy of the chat as it was after the entry of that number. */
  z.object({ type: z.literal("fork"), seq: z.number().nonnegative() }),
  z.object({ type: z.literal("export"), theme: themeSchema }),
  z.object({ type: z.literal("copy"), text: z.string().max(5_000_000) }),
]);

export type ReplayRequest = z.infer<typeof replayRequestSchema>;
export type PageTheme = z.infer<typeof themeSchema>;
