import type { Line } from "./lines.ts";

/** Of these, the latest counts; of those with a key, the latest of each. Of any other kind all count. */
const latest: ReadonlySet<string> = new Set([
  "chat_titled",
  "queue_changed",
  "pending_edits_changed",
  "rewind_changed",
  "plan_changed",
  "context_measured",
  "notice_shown",
  "grants_changed",
  "interrupted",
]);
/** What ends something, and what it began with. */
const ends: ReadonlyMap<string, string> = new Map([
  ["approval_closed", "approval_requested"],
  ["notice_closed", "notice_shown"],
  ["question_answered", "question_asked"],
]);
const lifecycle = new Set(["agent_start", "agent_end", "agent_spawned", "agent_exit"]);

/**
 * The lines ahead of a page that the state on the page still builds on: what the host said last, what is open, and of
 * the agents that are still at work how they began and what they spent.
 */
export function carriedLines(before: readonly Line[]): Line[] {
  const carried = new Set([...hostLines(before), ...agentLines(before)]);
  return before.filter((line) => carried.has(line));
}

function hostLines(lines: readonly Line[]): Line[] {
  const current = new Map<string, Line[]>();
  const add = (about: string, line: Line) => current.set(about, [...(current.get(about) ?? []), line]);
  for (const line of lines) {
    const { head } = line;
    if (head === undefined || head.of !== undefined) continue;
    const { kind, key = "" } = head;
    const begun = ends.get(kind);
    if (latest.has(kind)) current.set(`${kind} ${key}`, [line]);
    else if (begun !== undefined) current.delete(`${begun} ${key}`);
    else if (kind === "hunk_decided") add(`approval_requested ${key}`, line);
    else add(key === "" ? `${kind} at ${line.offset}` : `${kind} ${key}`, line);
  }
  return [...current.values()].flat();
}

function agentLines(lines: readonly Line[]): Line[] {
  const { open, lastUsage } = agentsAtWork(lines);
  const roots = lines.filter(({ head }) => head?.depth === 0).map(({ head }) => head?.of ?? "");
  const concerned = new Set([...open, ...roots]);
  const offsets = [...concerned].flatMap((id) => lastUsage.get(id)?.offset ?? []);
  const since = offsets.reduce((first, offset) => Math.min(first, offset), Number.POSITIVE_INFINITY);
  // What anybody spent since then adds up in those above it.
  const usages = lines.filter((line) => line.head?.kind === "usage" && line.offset >= since);
  for (const { head } of usages) concerned.add(head?.of ?? "");
  const own = lines.filter(({ head }) => {
    if (head === undefined || !lifecycle.has(head.kind)) return false;
    return concerned.has(head.of ?? "") || (head.key !== undefined && concerned.has(head.key));
  });
  return [...usages, ...own];
}

function agentsAtWork(lines: readonly Line[]) {
  const running = new Set<string>();
  const spawned = new Set<string>();
  const lastUsage = new Map<string, Line>();
  for (const line of lines) {
    const { kind, of = "", key = "" } = line.head ?? {};
    if (kind === "agent_start") running.add(of);
    else if (kind === "agent_end") running.delete(of);
    else if (kind === "agent_spawned") spawned.add(key);
    else if (kind === "agent_exit") {
      running.delete(key);
      spawned.delete(key);
    } else if (kind === "usage") lastUsage.set(of, line);
  }
  return { open: new Set([...running, ...spawned]), lastUsage };
}
