import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import type { AgentEvent, AssistantMessage } from "../../../src/agent/types.ts";
import { openSession } from "../../../src/extension/chat/restore/openSession.ts";
import { foldLog } from "../../../src/extension/chat/restore/restoredChat.ts";
import { timeLimitMs, tries } from "../../support/soak.ts";
import { bundleChild, startChild } from "./support/children.ts";
import { type TestStorage, testFolder } from "./support/folder.ts";
import { reportedInput, startStreamingServer } from "./support/streamingServer.ts";

/** What the killed process had shown, by its own clock. */
interface Shown {
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

/** Growing text that was shown for longer than this is never lost. */
const savedAfterMs = 1_000;

describe("a run of three levels that is killed", function () {
  this.timeout(timeLimitMs(180_000));
  let folder = "";
  let script = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "arbor-killed-run-"));
    script = await bundleChild("killedRunChild.ts", folder);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("loses nothing that was shown as finished, and of what grows at most the last second", async () => {
    await using server = await startStreamingServer();
    let cut = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2_500 }), async (afterMs) => {
        await using place = await testFolder();
        const child = startChild(script, [place.path, place.path, server.url]);
        // From the first answer on: what takes long before it is the start of the process.
        await child.said(8);
        await setTimeout(afterMs);
        await child.killAfter(0);
        const shown = child.lines.map((line): Shown => JSON.parse(line));
        assert.deepEqual(
          shown.filter(({ trouble }) => trouble !== undefined),
          [],
        );
        cut += await check(place.storage(), shown, join(place.path, "a.txt"));
      }),
      { ...tries("killedRuns"), endOnFailure: true },
    );
    assert.ok(cut > 0, "some answer was cut off in some round");
  });
});

/** Gives how many answers were cut off. */
async function check(storage: TestStorage, shown: readonly Shown[], edited: string): Promise<number> {
  const id = shown[0]?.chat ?? "";
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
  const hunks = (await readFile(edited, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
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
