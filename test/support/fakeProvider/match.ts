import { documentedRules, type JudgedRequest, refusesField } from "./rules.ts";
import type { Enforcement, HttpReply, Match, Reply, Rule, ScriptEntry, ServedWire } from "./script.ts";
import type { RequestView } from "./wires/wire.ts";

/** Hands out replies: rules first, in their order, then bare replies in theirs. */
export interface Script {
  add(entries: readonly ScriptEntry[]): void;
  next(wire: ServedWire, view: RequestView): Reply | undefined;
  /** What the rules in force answer to a request that breaks one of them. */
  judge(request: JudgedRequest): HttpReply | undefined;
}

export function createScript(): Script {
  const rules: { rule: Rule; left: number }[] = [];
  const replies: Reply[] = [];
  const inForce: Enforcement[] = [];
  return {
    add: (entries) => {
      for (const entry of entries) {
        if ("when" in entry) rules.push({ rule: entry, left: entry.times ?? Number.POSITIVE_INFINITY });
        else if ("enforce" in entry || "refuse" in entry) inForce.push(entry);
        else replies.push(entry);
      }
    },
    judge: (request) => {
      for (const rule of inForce) {
        const refusal = "enforce" in rule ? documentedRules[rule.enforce](request) : refusesField(rule.refuse, request);
        if (refusal !== undefined) return refusal;
      }
      return undefined;
    },
    next: (wire, view) => {
      const found = rules.find(({ rule, left }) => left > 0 && matches(rule.when, wire, view));
      if (found === undefined) return replies.shift();
      found.left -= 1;
      return found.rule.reply;
    },
  };
}

function matches(when: Match, wire: ServedWire, view: RequestView): boolean {
  return (
    (when.wire === undefined || when.wire === wire) &&
    (when.model === undefined || when.model === view.model) &&
    (when.system === undefined || view.system.includes(when.system)) &&
    (when.lastUser === undefined || view.lastUser.includes(when.lastUser)) &&
    (when.lastToolResult === undefined || view.lastToolResult?.includes(when.lastToolResult) === true) &&
    (when.tool === undefined || view.tools.includes(when.tool)) &&
    (when.turn === undefined || when.turn === view.turn)
  );
}
