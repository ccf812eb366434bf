import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import * as z from "zod";
import {
  Agent,
  type AgentEvent,
  type AssistantMessage,
  compactEffect,
  defineTool,
  type Model,
  type StreamFn,
} from "../../../../src/agent/index.ts";
import { createProvider } from "../../../../src/agent/providers/shared/provider.ts";
import type { RetryClock } from "../../../../src/agent/vocabulary/retries.ts";
import { EventLog } from "../../../../src/extension/chat/log/eventLog.ts";
import { runNotice } from "../../../../src/extension/chat/notices.ts";
import { createRateLimiter } from "../../../../src/extension/models/limits/rateLimiter.ts";
import { openSessionStorage } from "../../../../src/extension/sessions/storage.ts";
import { baseUrlOf, wires } from "../../../agent/providers/support.ts";
import type { WireName } from "../../../support/fakeProvider/script.ts";
import type { FakeProvider } from "../../../support/fakeProvider/startFakeProvider.ts";
import { skippingClock } from "../../../support/skippingClock.ts";
import { lateHeaders } from "./positions.ts";
import type { Fault } from "./table.ts";

const model: Model = { id: "test-model", provider: "fake", contextWindow: 100_000 };
const userText = "Hello \ud83d, do it.";

/** What a run came to. */
export interface RunOutcome {
  reason: string;
  /** The notice in the panel; absent for a run that ended well. */
  notice: string | undefined;
  errorKind: string | undefined;
  /** Every answer that the session keeps. */
  answers: AssistantMessage[];
  /** The paths with which `write_file` ran. */
  runs: string[];
  events: AgentEvent[];
  /** The lines of the session's file. */
  records: SessionRecord[];
}

/** What a line of a session's file holds of an event; neither where it holds something else. */
interface SessionRecord {
  agent?: AgentEvent;
  host?: { type: string };
}

export interface CellOutcome extends RunOutcome {
  waits: number[];
  bodies: string[];
}

/** Asks once over a real SDK and a real connection. */
export async function runCell(server: FakeProvider, wire: WireName, fault: Fault): Promise<CellOutcome> {
  const clock = skippingClock();
  const bodies: string[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    bodies.push(String(init?.body));
    const response = await globalThis.fetch(url, init);
    return fault.inBytes || fault.stalls ? rechunked(response, fault, clock.idleAway) : response;
  };
  const limiter = createRateLimiter(() => 8, clock);
  const config = { apiKey: "k", baseUrl: baseUrlOf(wire, server.url), limiter, fetch };
  await server.release(lateHeaders);
  const silence = fault.stalls ? expireHeldHeaders(server, clock.idleAway) : undefined;
  const outcome = await runOnce(createProvider(wires[wire], config, clock.timing), model, clock.timing);
  silence?.stop();
  return { ...outcome, waits: clock.waits, bodies };
}

/** Asks once, with the panel's policies, and keeps the session in a file. */
export async function runOnce(streamFn: StreamFn, asked: Model, clock: RetryClock): Promise<RunOutcome> {
  const runs: string[] = [];
  const write = defineTool({
    name: "write_file",
    description: "Writes.",
    schema: z.object({ path: z.string() }),
    execute: ({ path: written }) => {
      runs.push(written);
      return "Written.";
    },
  });
  const agent = new Agent({
    ...{ name: "main", model: asked, streamFn, tools: [write], effects: [compactEffect({})] },
    ...{ turnRetries: 2, clock },
    maxTurns: 20,
  });
  const log = new EventLog();
  const folder = await mkdtemp(path.join(os.tmpdir(), "arbor-faults-"));
  const sessions = openSessionStorage({ folder, onTrouble: (problem) => assert.fail(problem) });
  const writer = await sessions.create("cell");
  log.onAppend((entry) => writer.append(entry));
  const events: AgentEvent[] = [];
  agent.subscribe((event) => {
    log.appendAgent(event);
    events.push(event);
  });
  await agent.send(userText).result;
  await agent.dispose();
  await writer.close();
  const records = await readRecords(folder);
  await rm(folder, { recursive: true });
  const end = events.findLast((event) => event.type === "agent_end");
  const answers = log.messagesOf(agent.id).filter((message) => message.role === "assistant");
  const notice = end?.type === "agent_end" ? runNotice(end, undefined) : undefined;
  return {
    reason: end?.type === "agent_end" ? end.reason : "none",
    notice: notice?.text,
    errorKind: answers.at(-1)?.errorKind,
    ...{ answers, runs, events, records },
  };
}

/** Every line is whole and ends as a line; the first is the file's own. */
async function readRecords(folder: string): Promise<SessionRecord[]> {
  const name = (await readdir(folder)).find((entry) => entry.endsWith(".jsonl"));
  assert.ok(name !== undefined, "the session has a file");
  const lines = (await readFile(path.join(folder, name), "utf8")).split("\n");
  assert.equal(lines.pop(), "", "the last line is whole");
  return lines.slice(1).map((line) => JSON.parse(line));
}

/** Hands a body on byte by byte; once its silence was read, the time that silence may last is over. */
function rechunked(response: Response, { inBytes, stalls }: Fault, idleAway: () => void): Response {
  const source = response.body?.getReader();
  if (source === undefined) return response;
  let waiting: Uint8Array[] = [];
  let isSilent = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        if (isSilent) idleAway();
        while (waiting.length === 0) {
          const { done, value } = await source.read();
          if (done) return controller.close();
          waiting = inBytes ? [...value].map((byte) => Uint8Array.of(byte)) : [value];
        }
        const [next, ...rest] = waiting;
        waiting = rest;
        if (next !== undefined) controller.enqueue(next);
        isSilent = stalls === true && new TextDecoder().decode(next).includes(": silence");
      },
      cancel: (reason) => source.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: response.status, headers: response.headers });
}

/** Where not even headers come, each request that has arrived idles away. */
function expireHeldHeaders(server: FakeProvider, idleAway: () => void): { stop(): void } {
  let isOver = false;
  const watch = async (): Promise<void> => {
    for (let count = 1; !isOver; count += 1) {
      await server.reached("never before the headers", count);
      if (!isOver) idleAway();
    }
  };
  // The last wait is for a request that never comes; it ends with the server's next reset.
  watch().catch(() => undefined);
  return {
    stop: () => {
      isOver = true;
    },
  };
}
