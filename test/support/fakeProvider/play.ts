import type { ServerResponse } from "node:http";
import type { Gates } from "./gates.ts";
import type { Finish, Step, StreamReply } from "./script.ts";
import type { ReplyWriter } from "./wires/wire.ts";

const defaultChunk = 12;
const bulkCharacters = 65_536;

type Flood = Extract<Step, { flood: number }>;

/** Plays a scripted stream into a response. Resolves when the stream is over, in whatever way. */
export async function play(
  reply: StreamReply,
  writer: ReplyWriter,
  response: ServerResponse,
  { gates, callPrefix, onCut }: { gates: Gates; callPrefix: string; onCut: () => void },
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", ...reply.headers });
  await send(response, writer.begin());
  for (const [at, step] of reply.steps.entries()) {
    if (response.destroyed) return;
    if ("cut" in step) {
      await flushed(response);
      onCut();
      response.destroy();
      return;
    }
    if ("end" in step) {
      response.end();
      return;
    }
    if ("gate" in step) await Promise.race([gates.pass(step.gate), closed(response)]);
    else if ("flood" in step) await flood(step, writer, response);
    else for (const frames of framesOf(step, writer, `${callPrefix}_${at}`)) await send(response, frames);
    if ("fail" in step) {
      response.end();
      return;
    }
  }
  const finish: Finish = reply.finish ?? (reply.steps.some((step) => "tool" in step) ? "toolUse" : "stop");
  await send(response, writer.finish(finish) + (reply.endMarker === false ? "" : writer.endMarker(finish)));
  response.end();
}

function* framesOf(step: Exclude<Step, Flood>, writer: ReplyWriter, callId: string): Generator<string> {
  if ("text" in step) {
    for (const piece of pieces(step.text, step.chunk)) yield writer.text(piece, step.phase);
  } else if ("thinking" in step) {
    for (const piece of pieces(step.thinking, step.chunk)) yield writer.thinking(piece, step.signature ?? "");
  } else if ("input" in step) {
    yield writer.startFreeText?.(step.id ?? callId, step.tool) ?? missingFreeText();
    for (const piece of pieces(step.input, step.chunk)) yield writer.toolArguments(piece);
  } else if ("tool" in step) {
    yield writer.startTool(step.id ?? callId, step.tool, step.extra);
    const text = step.rawArguments ?? JSON.stringify(step.arguments ?? {});
    for (const piece of pieces(text, step.chunk)) yield writer.toolArguments(piece);
  } else if ("endPart" in step) {
    yield writer.endPart();
  } else if ("raw" in step) {
    yield step.raw;
  } else if ("fail" in step) {
    yield writer.failure(step.fail);
  }
}

function missingFreeText(): never {
  throw new Error("No call of this wire is written as free text.");
}

function pieces(text: string, chunk = defaultChunk): string[] {
  const characters = [...text];
  const list: string[] = [];
  for (let at = 0; at < characters.length; at += chunk) list.push(characters.slice(at, at + chunk).join(""));
  return list;
}

async function flood(step: Flood, writer: ReplyWriter, response: ServerResponse): Promise<void> {
  let bulk = "";
  for (let sent = 0; sent < step.flood && !response.destroyed; sent += 1) {
    bulk += writer.text(step.text ?? "word ");
    if (step.perEvent !== true && bulk.length < bulkCharacters) continue;
    await send(response, bulk);
    bulk = "";
  }
  await send(response, bulk);
}

/** Writes, and waits while the client is slower than we are. */
function send(response: ServerResponse, text: string): Promise<void> | undefined {
  if (text === "" || response.destroyed || response.write(text)) return undefined;
  return new Promise((resolve) => {
    const goOn = (): void => {
      response.off("drain", goOn);
      response.off("close", goOn);
      resolve();
    };
    response.once("drain", goOn);
    response.once("close", goOn);
  });
}

/** Resolves when what was written has left for the client, so that a cut falls after it. */
function flushed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.write("", () => resolve()));
}

function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => (response.destroyed ? resolve() : response.once("close", () => resolve())));
}
