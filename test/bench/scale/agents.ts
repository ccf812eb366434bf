import * as z from "zod";
import { Agent, type AgentEvent, defineTool, type StreamFn } from "../../../src/agent/index.ts";
import { EventLog } from "../../../src/extension/chat/log/eventLog.ts";
import { Channel } from "../../../src/extension/panel/channel/channel.ts";
import { testModel } from "../../support/scriptedModel.ts";
import { status } from "../../webview/support/recording.ts";
import { measured, type Taken } from "./measured.ts";

const deltas = 100;
const turns = 5;

/** So many agents under one root, all at once, each with five turns; all of it is logged and mirrored to a panel. */
export function timeAgents(count: number): Promise<Taken> {
  return measured(async () => {
    const log = new EventLog();
    const chat = { id: "chat", log, draft: { text: "", attachments: [] }, transcriptOf: () => undefined };
    let posted = 0;
    const postMessage = (json: string) => {
      posted += json.length;
    };
    const channel = new Channel(chat, { postMessage });
    channel.show(chat, status());
    const base = { model: testModel, systemPrompt: "You read files." };
    const read = defineTool({ name: "read", description: "Reads.", schema: z.object({}), execute: async () => "text" });
    const fanOut = defineTool({
      name: "fan_out",
      description: "Starts sub-agents.",
      schema: z.object({}),
      async execute(_args, context) {
        const children = Array.from({ length: count }, () =>
          context.subAgents.create({ ...base, streamFn: answers(turns, "read"), tools: [read] }),
        );
        await Promise.all(children.map((agent) => agent.prompt("Read the files.")));
        return "done";
      },
    });
    const root = new Agent({ ...base, name: "main", streamFn: answers(2, "fan_out"), tools: [fanOut] });
    let units = 0;
    const unsubscribe = root.subscribe((event: AgentEvent) => {
      units++;
      log.appendAgent(event);
    });
    const { reason, error } = await root.send("Go.").result;
    unsubscribe();
    channel.dispose();
    if (reason !== "done") throw error ?? new Error(reason);
    if (posted === 0) throw new Error("Nothing was posted.");
    return { units, result: log };
  });
}

/** A model that calls the tool in each answer but the last, after a hundred deltas that come as from a network. */
function answers(count: number, toolName: string): StreamFn {
  let answered = 0;
  return async function* streamed() {
    answered++;
    const isLast = answered === count;
    const id = `${answered}`;
    const text = "word ".repeat(deltas);
    yield { type: "start" };
    yield { type: "text_start", index: 0 };
    for (let index = 0; index < deltas; index++) {
      yield { type: "text_delta", index: 0, delta: "word " };
      if (index % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    yield { type: "text_end", index: 0, content: text };
    const call = { type: "toolCall", id, name: toolName, arguments: {} } as const;
    if (!isLast) yield { type: "toolcall_end", index: 1, call };
    yield {
      type: "done",
      message: {
        ...{ role: "assistant", id, model: testModel.id, provider: testModel.provider, timestamp: 0 },
        content: [{ type: "text", text }, ...(isLast ? [] : [call])],
        stopReason: isLast ? "stop" : "toolUse",
      },
    };
  };
}
