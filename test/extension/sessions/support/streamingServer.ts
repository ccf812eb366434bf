import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";

/** A model of Anthropic's wire that speaks slowly and without end: what it says depends on who asks, and how often. */
export interface StreamingServer extends AsyncDisposable {
  url: string;
}

export const reportedInput = 1_000;

export interface Asked {
  system: { text: string }[];
  messages: { role: string; content: string | { type: string; text?: string }[] }[];
}

export interface Call {
  name: string;
  input: object;
}

const pauseMs = 4;

/** `callsOf` says what the asking agent is to call; `count` counts all requests. */
export async function startStreamingServer(
  callsOf: (asked: Asked, count: number) => Call[] = endlessCalls,
): Promise<StreamingServer> {
  let calls = 0;
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body: Asked = JSON.parse(Buffer.concat(chunks).toString());
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (event: string, data: object) =>
      response.write(`event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}\n\n`);
    const count = ++calls;
    const usage = { input_tokens: reportedInput + count, output_tokens: 1 };
    send("message_start", { message: { id: `m${count}`, role: "assistant", content: [], usage } });
    send("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
    const words = `Answer ${count} says: ${"so many words that somebody reads them as they come; ".repeat(count % 3 === 1 ? 3 : 80)}`;
    for (let at = 0; at < words.length && !response.destroyed; at += 9) {
      send("content_block_delta", { index: 0, delta: { type: "text_delta", text: words.slice(at, at + 9) } });
      await setTimeout(pauseMs);
    }
    send("content_block_stop", { index: 0 });
    const asked = callsOf(body, count);
    for (const [index, { name, input }] of asked.entries()) {
      const block = { type: "tool_use", id: `call-${count}-${index}`, name, input: {} };
      send("content_block_start", { index: index + 1, content_block: block });
      const json = JSON.stringify(input);
      send("content_block_delta", { index: index + 1, delta: { type: "input_json_delta", partial_json: json } });
      send("content_block_stop", { index: index + 1 });
    }
    const stop_reason = asked.length > 0 ? "tool_use" : "end_turn";
    send("message_delta", { delta: { stop_reason }, usage: { ...usage, output_tokens: 50 } });
    send("message_stop", {});
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The root agent hands on, its agent hands on again; everybody edits and runs commands, and no one comes to an end. */
function endlessCalls({ system, messages }: Asked, count: number): Call[] {
  const prompt = system.map(({ text }) => text).join();
  const turn = messages.filter(({ role }) => role === "assistant").length;
  const work = [
    { name: "edit_file", input: { hunk: `hunk ${count}` } },
    { name: "run_command", input: { command: `command ${count}` } },
  ];
  const below = prompt.includes("Main.") ? "middle" : prompt.includes("Middle.") ? "leaf" : undefined;
  if (below === undefined) return turn < 2 ? work : [];
  const task = { name: "delegate_to_agent", input: { agent: below, task: `Task ${count}`, context: "" } };
  return turn < 4 ? [task, ...work.slice(0, 1 + (count % 2))] : [];
}
