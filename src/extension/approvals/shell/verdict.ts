import type { CommandRule } from "./rules.ts";

export type CommandVerdict = "allow" | "ask" | "deny";

/**
 * A rule matches one simple command's words: exact ("npm test"), with * for any further words ("git diff *"), or /regex/
 * over its text. One that does not compile or runs away is ignored.
 */
export interface CommandRules {
  allow: string[];
  ask: string[];
  deny: string[];
}

export interface CommandJudgement {
  verdict: CommandVerdict;
  /** Why, as a sentence. */
  reason: string;
  /** Every simple command in it. */
  parts: CommandPart[];
}

export interface CommandPart {
  text: string;
  verdict: CommandVerdict;
  /** The rule that decided. */
  rule?: string;
}

export interface ParsedRules {
  allow: readonly CommandRule[];
  ask: readonly CommandRule[];
  deny: readonly CommandRule[];
}
