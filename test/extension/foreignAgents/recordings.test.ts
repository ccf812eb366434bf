import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reduceTree } from "../../../src/agent/tree/reduceTree.ts";
import type { AgentTree } from "../../../src/agent/tree.ts";
import { agentEventSchema } from "../../../src/protocol/agentEventSchemas.ts";
import { type Entry, recordings, replay, treeLines, treeOf } from "./recordings.ts";

const golden = join(import.meta.dirname, "recordings.golden.txt");

/** Nothing of it goes on, and nothing is half. */
function assertEnded({ nodes }: AgentTree, where: string): void {
  for (const node of Object.values(nodes)) {
    assert.notEqual(node.status, "running", `${where}: ${node.meta.name} runs`);
    for (const tool of Object.values(node.tools)) assert.notEqual(tool.status, "running", `${where}: ${tool.toolName}`);
    const ids = node.messages.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, `${where}: a message twice`);
    const calls = node.messages.flatMap((message) =>
      message.role === "assistant"
        ? message.content.flatMap((part) => (part.type === "toolCall" ? [part.id] : []))
        : [],
    );
    const results = node.messages.flatMap((message) => (message.role === "toolResult" ? [message.callId] : []));
    assert.deepEqual(results.toSorted(), calls.toSorted(), `${where}: each call has one result`);
  }
}

describe("recorded conversations with agents of others", () => {
  const all = recordings();

  it("make the trees that are written down", async () => {
    if (all.length === 0) return;
    const lines: string[] = [];
    for (const { name, entries } of all) {
      const { events, reported } = await replay(entries);
      const tree = treeOf(events);
      assertEnded(tree, name);
      lines.push(name, ...treeLines(tree, reported), "");
    }
    const text = lines.join("\n");
    if (process.env.ARBOR_WRITE_GOLDEN === "1") writeFileSync(golden, text);
    assert.equal(text, readFileSync(golden, "utf8"));
  });

  it("make events that session files and the panel take", async () => {
    for (const { name, entries } of all) {
      for (const event of (await replay(entries)).events) {
        const plain: unknown = JSON.parse(JSON.stringify(event));
        const { success, error } = agentEventSchema.safeParse(plain);
        assert.ok(success, `${name}: ${event.type} ${error?.message}`);
      }
    }
  });

  it("are the same tree however the events are split", async () => {
    for (const { name, entries } of all) {
      const { events } = await replay(entries);
      const whole = treeOf(events);
      let stored = treeOf([]);
      // As a log that is read back after each event.
      for (const event of events) stored = reduceTree(JSON.parse(JSON.stringify(stored)), event);
      assert.deepEqual(stored, JSON.parse(JSON.stringify(whole)), name);
    }
  }).timeout(60_000);

  it("end where they are cut off, after any message, with an error and nothing that runs", async () => {
    for (const { name, entries } of all) {
      for (let end = 0; end < entries.length; end++) {
        const { events } = await replay(entries.slice(0, end));
        assertEnded(treeOf(events), `${name} at ${end}`);
      }
    }
  }).timeout(120_000);

  it("make the same agents and messages where sessions come in another order", async () => {
    let swaps = 0;
    for (const { name, entries } of all) {
      const plain = linesPerAgent(await replay(entries));
      const shuffled = [...entries];
      for (let at = 1; at < shuffled.length; at++) {
        const [before, now] = [shuffled[at - 1], shuffled[at]];
        if (before === undefined || now === undefined || !areIndependent(before, now)) continue;
        [shuffled[at - 1], shuffled[at]] = [now, before];
        swaps += 1;
        at += 1;
      }
      assert.deepEqual(linesPerAgent(await replay(shuffled)), plain, name);
    }
    if (all.length > 0) assert.ok(swaps > 10, `${swaps} swaps`);
  });
});

function linesPerAgent({ events, reported }: Awaited<ReturnType<typeof replay>>): string[] {
  return treeLines(treeOf(events), reported);
}

/** What two sessions say of themselves is in no order; only what is said of a session on another one is. */
function areIndependent(one: Entry, other: Entry): boolean {
  const [a, b] = [ownUpdate(one), ownUpdate(other)];
  return a !== undefined && b !== undefined && a !== b;
}

function ownUpdate({ dir, msg }: Entry): string | undefined {
  if (dir !== "<" || msg.method !== "session/update") return undefined;
  const { sessionId, update } = msg.params as { sessionId: string; update: { sessionUpdate: string } };
  return /^(?:subagent_update|session_message)$/.test(update.sessionUpdate) ? undefined : sessionId;
}
