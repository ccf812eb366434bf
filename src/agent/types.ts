/** The library's vocabulary as types alone: what protocol and panel may know of it. */

export type { AgentTree, PendingRetry, ToolActivity, TreeNode } from "./tree/reduceTree.ts";
export type * from "./vocabulary/errorFacts.ts";
export type * from "./vocabulary/errors.ts";
export type * from "./vocabulary/events.ts";
export type * from "./vocabulary/messages.ts";
export type * from "./vocabulary/model.ts";
export type { ToolResult } from "./vocabulary/toolShapes.ts";
export type * from "./vocabulary/usage.ts";
