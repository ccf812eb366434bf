/** What has to hold of the session of a run that was killed, against what was shown of it before. */
import assert from "node:assert/strict";
import type { AgentEvent, AssistantMessage } from "../../../../src/agent/types.ts";
import { openSession } from "../../../../src/extension/chat/restore/openSession.ts";
import { foldLog } from "../../../../src/extension/chat/restore/restoredChat.ts";
import type { SessionStorage } from "../../../../src/extension/sessions/session.ts";
import type { LogEntry } from "../../../../src/protocol/messages.ts";
import { reportedInput } from "./streamingServer.ts";

/** Something that was shown, by the clock of the process that was killed. */
export interface Shown {
  chat?: string;
  trouble?: string;
  at?: number;
  of?: string;
  depth?: number;
  end?: string;
  role?: string;
  grows?: string;
  prints?: string;
  ran?: string;
  by?: string;
  spent?: number;
  host?: { type: string };
}

/** What a panel would draw of an entry. */
export function shownOf(entry: LogEntry): Shown {
  if ("host" in entry) return { host: entry.host };
  const { agent } = entry;
  const at = agent.timestamp;
  switch (agent.type) {
    case "message_end":
      return { at, of: agent.agent.id, end: agent.message.id, role: agent.message.role };
    case "message_update":
      return agent.delta.type === "text_delta"
        ? { at, of: agent.agent.id, grows: agent.messageId, by: agent.delta.delta }
        : { at };
    case "tool_execution_update":
      return { at, of: agent.agent.id, depth: agent.agent.depth, prints: agent.callId, by: agent.output ?? "" };
    case "tool_execution_end":
      return { at, of: agent.agent.id, depth: agent.agent.depth, ran: agent.callId };
    case "usage":
      return { at, spent: agent.delta.input };
    default:
      return { at };
  }
}

/** Growing text that was shown for longer than this is never lost. */
const savedAfterMs = 1_000;

interface KilledRun {
  chat: string;
  shown: readonly Shown[];
  /** Each of a text of its own, as the files hold them. */
  hunksOnDisk: readonly string[];
}

/** Gives how many answers were cut off. */
export async function checkKilledRun(
  storage: SessionStorage,
  { chat: id, shown, hunksOnDisk: hunks }: KilledRun,
): Promise<number> {
  const { restored, record, problems } = await openSession(storage, id);
  await record?.close();
  assert.ok(
    problems.every((problem) => /last entry of this chat was cut off/.test(problem)),
    problems.join(),
  );
  const { entries, closing } = restored;
  const lastAt = Math.max(...shown.map(({ at = 0 }) => at));
  const ends = closing.agents.filter((event) => event.type === "message_end");

  const stored = new Map<string, string[]>();
  const agents = new Set(shown.flatMap(({ of }) => of ?? []));
  for (const agent of agents)
    stored.set(
      agent,
      (await storage.messagesOf(id, agent)).map((message) => message.id),
    );
  for (const { of = "", end } of shown) {
    if (end !== undefined) assert.equal(stored.get(of)?.filter((each) => each === end).length, 1, `message ${end}`);
  }

  const finished = new Set(shown.flatMap(({ end }) => end ?? []));
  const growing = Map.groupBy(
    shown.filter(({ grows }) => grows !== undefined && !finished.has(grows)),
    ({ grows }) => grows,
  );
  for (const [message, deltas] of growing) {
    // It may have ended just before the kill, without being shown.
    if ([...stored.values()].flat().includes(message ?? "")) continue;
    const saved = textOf(ends, message);
    const all = deltas.map(({ by }) => by).join("");
    const due = deltas.filter(({ at = 0 }) => at <= lastAt - savedAfterMs).map(({ by }) => by);
    assert.ok(saved.startsWith(due.join("")), `"${saved}" lacks some of "${due.join("")}"`);
    assert.ok(saved.startsWith(all) || all.startsWith(saved), `"${saved}" is not the beginning of "${all}"`);
  }

  const { tree, host } = foldLog(entries);
  const tools = { ...tree.nodes[restored.root?.id ?? ""]?.tools };
  for (const { depth, ran = "" } of shown) {
    if (depth === 0 && ran !== "") assert.notEqual(tools[ran]?.status, "running", `call ${ran}`);
  }
  const ran = new Set(shown.flatMap((each) => each.ran ?? []));
  for (const [call, prints] of Map.groupBy(
    shown.filter(({ depth, prints }) => depth === 0 && prints !== undefined),
    ({ prints }) => prints ?? "",
  )) {
    if (ran.has(call) || tools[call]?.status !== "running") continue;
    const due = prints.filter(({ at = 0 }) => at <= lastAt - savedAfterMs).map(({ by }) => by);
    assert.ok(printedIn(closing.agents, call).startsWith(due.join("")), `output of ${call}`);
  }

  const spent = shown.reduce((sum, each) => sum + (each.spent ?? 0), 0);
  const told = entries.reduce((sum, entry) => sum + ("agent" in entry ? inputOf(entry.agent) : 0), 0);
  assert.ok(told >= spent, `${told} of ${spent} tokens`);
  const inFlight = closing.agents.reduce((sum, event) => sum + inputOf(event), 0);
  assert.equal(restored.root?.total.input, told + inFlight);
  for (const event of ends) {
    if (event.message.role !== "assistant" || event.message.stopReason !== "aborted") continue;
    assert.ok((event.message.usage?.input ?? 0) > reportedInput, "what was reported of a request that never ended");
  }

  const { approvals } = foldLog([...entries, ...closing.host.map((each, at) => ({ seq: 1e9 + at, host: each }))]).host;
  assert.deepEqual(approvals, [], "no approval is open, and none was granted by the kill");
  const named = JSON.stringify(entries.filter((entry) => "host" in entry));
  for (const hunk of hunks) assert.ok(named.includes(`"${hunk}"`), `${hunk} is on disk and nowhere named`);
  assert.equal(new Set(hunks).size, hunks.length);
  assert.ok(host.approvals.length <= 3);
  return growing.size;
}

function textOf(ends: readonly Extract<AgentEvent, { type: "message_end" }>[], id: string | undefined): string {
  const message = ends.find((event) => event.message.id === id)?.message as AssistantMessage | undefined;
  return message?.content.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
}

function printedIn(events: readonly AgentEvent[], call: string): string {
  return events
    .flatMap((event) => (event.type === "tool_execution_update" && event.callId === call ? (event.output ?? "") : []))
    .join("");
}

function inputOf(event: AgentEvent): number {
  return event.type === "usage" ? event.delta.input : 0;
}
