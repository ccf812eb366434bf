import { withinTime } from "../common/deadline.ts";

/** When a hook runs. */
export const hookEvents = [
  "PreToolUse",
  "PostToolUse",
  "UserPromptSubmit",
  "SubagentStart",
  "SubagentStop",
  "Stop",
] as const;
export type HookEventName = (typeof hookEvents)[number];

/** A command that runs when agents do something. */
export interface HookDefinition {
  event: HookEventName;
  /** Which tools or agents; empty for all. */
  matcher: string;
  command: string;
  timeoutMs: number;
  /** Nothing waits for it, and what it answers is not looked at. */
  isAsync: boolean;
  /** The file, as the user sees it. */
  path: string;
  /** By whose names it knows tools. */
  names: "arbor" | "claude";
}

export const listOfNames = /^[\w\s|,-]*$/;

const maxMatchMs = 50;

/**
 * Whether a hook is meant for what has one of these names. A matcher of letters, digits and `|` lists names; any other is a
 * regular expression. One that takes too long matches: a hook that guards something must not be got past.
 */
export function isMatch({ matcher }: Pick<HookDefinition, "matcher">, names: readonly string[]): boolean {
  if (matcher === "" || matcher === "*") return true;
  if (listOfNames.test(matcher)) {
    const listed = matcher.split(/[|,]/).map((name) => name.trim());
    return names.some((name) => listed.includes(name));
  }
  const found = withinTime(() => names.some((name) => new RegExp(matcher).test(name)), maxMatchMs);
  return found === "timeout" || found.result;
}
