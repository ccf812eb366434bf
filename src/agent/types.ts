/** The library's vocabulary as types alone: what protocol and panel may know of it. */
export type * from "./errorFacts.ts";
export type * from "./errors.ts";
export type * from "./events.ts";
export type * from "./messages.ts";
export type * from "./model.ts";
export type { ToolResult } from "./toolShapes.ts";
export type { AgentTree, PendingRetry, ToolActivity, TreeNode } from "./tree.ts";
export type * from "./usage.ts";
