import type { ThinkingLevel } from "../agent/types.ts";

/** What agents may do unasked: nothing, edit files of the workspace, or only look. Strictest first. */
export const permissionModes = ["plan", "ask", "auto-edit"] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** How much models may be asked to think, least first. */
export const thinkingLevels = [
  "off",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
] as const satisfies readonly ThinkingLevel[];
