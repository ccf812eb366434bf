import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { AgentEvent } from "../../../src/agent/types.ts";
import { EventLog } from "../../../src/extension/chat/log/eventLog.ts";
import { Channel } from "../../../src/extension/panel/channel/channel.ts";
import { recording, status } from "../../webview/support/recording.ts";

const events = 20_000;
const burst = 200;

/** CPU milliseconds of both ends for 20,000 events from one process to another: one post per event, or our channel. */
export async function timePath(kind: "each" | "channel"): Promise<number> {
  const child = fork(fileURLToPath(new URL("./receiver.mjs", import.meta.url)), { serialization: "json" });
  await once(child, "message");
  const all = textEvents();
  const from = process.cpuUsage();
  const send = (json: string) => child.send(json);
  if (kind === "each") await inBursts(all, (event) => send(JSON.stringify({ type: "entries", entries: [event] })));
  else await throughChannel(all, send);
  child.send("end");
  const [receiverMs]: [number] = (await once(child, "message")) as [number];
  const own = process.cpuUsage(from);
  child.disconnect();
  await once(child, "exit");
  return (own.user + own.system) / 1_000 + receiverMs;
}

async function throughChannel(all: readonly AgentEvent[], send: (json: string) => void): Promise<void> {
  const log = new EventLog();
  const chat = { id: "chat-1", log, draft: { text: "", attachments: [] }, transcriptOf: () => undefined };
  const channel = new Channel(chat, send);
  channel.show(chat, status());
  await inBursts(all, (event) => log.appendAgent(event));
  // The last frame of the channel is due.
  await new Promise((resolve) => setTimeout(resolve, 20));
  channel.dispose();
}

/** As a stream that comes as fast as it can: between two bursts the event loop turns. */
async function inBursts(all: readonly AgentEvent[], take: (event: AgentEvent) => void): Promise<void> {
  for (const [index, event] of all.entries()) {
    take(event);
    if (index % burst === burst - 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

function textEvents(): AgentEvent[] {
  const log = recording();
  const main = log.agent("main");
  const messageId = log.streaming(main, "");
  for (let index = 0; index < events; index++) {
    log.event(main, { type: "message_update", messageId, delta: { type: "text_delta", index: 0, delta: "word " } });
  }
  return log.entries.flatMap((entry) => ("agent" in entry ? [entry.agent] : []));
}
