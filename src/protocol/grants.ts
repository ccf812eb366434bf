import type { HostEvents } from "./hostEventSchemas.ts";

/**
 * How far an answer reaches beyond the one question: what the agent spawned too, the whole chat, a folder of files, or
 * every chat, by a rule in the user's settings, or all commands in the sandbox of this workspace.
 */
export const grantScopes = ["agent", "session", "pattern", "rule", "workspace"] as const;
export type GrantScope = (typeof grantScopes)[number];

/**
 * An answer that may be given to an approval. With the scope `pattern`, `pattern` has the files it means, like `src/**`;
 * with the scope `rule`, the rules that are written.
 */
export type ScopeOffer = NonNullable<HostEvents["approval_requested"]["approval"]["scopes"]>[number];

/** What the user allowed without being asked again, as the panel shows it. */
export type ShownGrant = HostEvents["call_allowed"]["grant"];
