import { fork } from "node:child_process";
import { once } from "node:events";
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
 * CPU milliseconds of both ends for deltas from one process to another, as so many agents stream them side by
 * side: one post per event, our channel with every agent opened, or nothing, which is what the pace itself costs.
 */
export async function timePath(kind: "each" | "channel" | "nothing", agents: number): Promise<number> {
  const child = fork(fileURLToPath(new URL("./receiver.mjs", import.meta.url)), { serialization: "json" });
  await once(child, "message");
  const { before, streamed, opened } = textEvents(agents);
  const send = (json: string) => child.send(json);
  const log = new EventLog();
  const channel = kind === "channel" ? await openChannel({ log, before, opened }, send) : undefined;
  const from = process.cpuUsage();
  const sendEach = (event: AgentEvent) => send(JSON.stringify({ type: "entries", entries: [event] }));
  const take = { each: sendEach, channel: (event: AgentEvent) => void log.appendAgent(event), nothing() {} }[kind];
  for (let at = 0; at < streamed.length; at += agents) {
    for (const event of streamed.slice(at, at + agents)) take(event);
    await new Promise((resolve) => setTimeout(resolve, paceMs));
  }
  // The last frame of the channel is due.
  await new Promise((resolve) => setTimeout(resolve, 20));
  channel?.dispose();
  child.send("end");
  const [received]: { ms: number; parsed: number }[] = await once(child, "message");
  if (received === undefined || (kind !== "nothing" && received.parsed === 0)) throw new Error("Nothing has come.");
  const own = process.cpuUsage(from);
  child.disconnect();
  await once(child, "exit");
  return (own.user + own.system) / 1_000 + received.ms;
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
