import { fork } from "node:child_process";
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import type { AgentEvent } from "../../../src/agent/types.ts";
import { EventLog } from "../../../src/extension/chat/log/eventLog.ts";
import { Channel } from "../../../src/extension/panel/channel/channel.ts";
import { recording, status } from "../../webview/support/recording.ts";

/** A second of one agent's writing is enough to measure it; fifty write as long in far more deltas. */
const deltasOf = (agents: number) => Math.max(600, 200 * agents);
/** Between two deltas of an agent: models write this fast and seldom faster. */
const paceMs = 4;
const deltaText = "words of some tokens";

/**
 * Milliseconds for which the event loops of both ends were busy with deltas from one process to another, as so many
 * agents stream them side by side: one post per event, our channel with every agent opened, or nothing, which is what the
 * pace itself costs. Processor time is of no use for turns of microseconds: where a kernel counts it by ticks, it sees few
 * of them.
 */
export async function timePath(kind: "each" | "channel" | "nothing", agents: number): Promise<number> {
  const child = fork(fileURLToPath(new URL("./receiver.mjs", import.meta.url)), { serialization: "json" });
  await once(child, "message");
  const { before, streamed, opened } = textEvents(agents);
  const send = (json: string) => child.send(json);
  const log = new EventLog();
  const channel = kind === "channel" ? await openChannel({ log, before, opened }, send) : undefined;
  let pausedMs = 0;
  const pause = async () => {
    pausedMs += sleep(paceMs);
    // Due timers, and what came from the other end.
    await new Promise((resolve) => setImmediate(resolve));
  };
  const from = performance.eventLoopUtilization();
  const sendEach = (event: AgentEvent) => send(JSON.stringify({ type: "entries", entries: [event] }));
  const take = { each: sendEach, channel: (event: AgentEvent) => void log.appendAgent(event), nothing() {} }[kind];
  for (let at = 0; at < streamed.length; at += agents) {
    for (const event of streamed.slice(at, at + agents)) take(event);
    await pause();
  }
  // The last frame of the channel is due.
  for (let turn = 0; turn < 10; turn++) await pause();
  channel?.dispose();
  child.send("end");
  const [received]: { ms: number; parsed: number }[] = await once(child, "message");
  if (received === undefined || (kind !== "nothing" && received.parsed === 0)) throw new Error("Nothing has come.");
  const own = performance.eventLoopUtilization(from).active - pausedMs;
  child.disconnect();
  await once(child, "exit");
  return own + received.ms;
}

const sleeping = new Int32Array(new SharedArrayBuffer(4));

/** Keeps the thread from running, which costs less than a timer that wakes it. @returns the milliseconds it took */
function sleep(ms: number): number {
  const from = performance.now();
  Atomics.wait(sleeping, 0, 0, ms);
  return performance.now() - from;
}

interface Opening {
  log: EventLog;
  before: readonly AgentEvent[];
  opened: readonly string[];
}

async function openChannel({ log, before, opened }: Opening, send: (json: string) => void): Promise<Channel> {
  for (const event of before) log.appendAgent(event);
  const chat = {
    id: "chat-1",
    log,
    draft: { text: "", attachments: [] },
    transcriptOf: () => ({ messages: [], upToSeq: 0 }),
  };
  const channel = new Channel(chat, { postMessage: send });
  channel.show(chat, status());
  for (const agentId of opened) await channel.openAgent(agentId);
  return channel;
}

/** `before` is what came before the deltas, which are taken by turns of all agents. */
function textEvents(agents: number): { before: AgentEvent[]; streamed: AgentEvent[]; opened: string[] } {
  const log = recording();
  const main = log.agent("main");
  const streaming = Array.from({ length: agents }, (_, index) => {
    const agent = index === 0 ? main : log.agent("review", main, "call", `Review ${index}`);
    return { agent, messageId: log.streaming(agent, "") };
  });
  const known = log.entries.length;
  for (let index = 0; index < deltasOf(agents); index++) {
    const { agent, messageId } = streaming[index % agents] ?? { agent: main, messageId: "" };
    log.event(agent, { type: "message_update", messageId, delta: { type: "text_delta", index: 0, delta: deltaText } });
  }
  const all = log.entries.map((entry) => ("agent" in entry ? [entry.agent] : []));
  return {
    before: all.slice(0, known).flat(),
    streamed: all.slice(known).flat(),
    opened: streaming.slice(1).map(({ agent }) => agent.id),
  };
}
