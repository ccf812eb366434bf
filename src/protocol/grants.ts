/** How far an answer reaches beyond the one question: what the agent spawned too, the whole chat, or a folder of files. */
export const grantScopes = ["agent", "session", "pattern"] as const;
export type GrantScope = (typeof grantScopes)[number];

/** An answer that may be given to an approval. */
export interface ScopeOffer {
  scope: GrantScope;
  /** With the scope `pattern`: the files it means, like `src/**`. */
  pattern?: string;
}

/** What the user allowed without being asked again, as the panel shows it. */
export interface ShownGrant {
  id: string;
  kind: "edit" | "command" | "fetch" | "read";
  scope: GrantScope;
  /** The files, the whole command, the host, or the file that is read; what can't be seen in it is written out. */
  text: string;
  /** Where the command runs. */
  folder?: string;
  /** With the scope `agent`: its names from the root agent down. */
  agentPath?: string[];
}
