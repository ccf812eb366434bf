import { deepEqual, equal, ok } from "node:assert/strict";
import { once } from "node:events";
import { glob, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import path from "node:path";
import { promiseHooks } from "node:v8";
import * as z from "zod";
import {
  Agent,
  type AgentEvent,
  type AgentTool,
  defineTool,
  type Model,
  toolDefinition,
} from "../../src/agent/index.ts";
import { anthropicStream } from "../../src/agent/providers/index.ts";

/** Counts what the library does, since that is the same on every machine: the times are in the benches. */

const model: Model = { id: "m", provider: "anthropic", contextWindow: 200_000, maxOutput: 4096 };
const read = defineTool({
  name: "read",
  description: "Reads a file.",
  schema: z.object({ path: z.string(), from: z.number() }),
  execute: ({ path: file }) => `The content of ${file}.`,
});
const argumentsOf = (index: number) => ({ path: `src/file-${index}.ts`, from: index });

describe("The work of the library", () => {
  it("reads each text delta of a stream once, as JSON and from the network", async () => {
    const deltas = 5_000;
    const server = serverOf([textOf(deltas)]);
    const { result, counts } = await counted(() => talk(server));
    equal(result.deltas, deltas);
    ok(counts.parses <= deltas + 20, `${counts.parses} parses`);
    ok(counts.stringifications < 20, `${counts.stringifications} serialisations`);
    equal(server.chunksRead, server.chunks);
  });

  it("makes next to no promises for deltas at which somebody listens, and few for those that are awaited", async () => {
    const deltas = 5_000;
    await talk(serverOf([textOf(deltas)]));
    const listened = await counted(() => talk(serverOf([textOf(deltas)]), { awaits: false }));
    ok(listened.counts.promises < deltas / 20, `${listened.counts.promises} promises for ${deltas} deltas`);
    const awaited = await counted(() => talk(serverOf([textOf(deltas)])));
    const each = (awaited.counts.promises - listened.counts.promises) / deltas;
    ok(each < 2.1, `${each} promises for each delta`);
  });

  it("allocates little for a delta: what is read, parsed and published of it, and no copy of the message", async () => {
    const deltas = 5_000;
    const once = () => talk(serverOf([textOf(deltas)]), { awaits: false });
    // What the compiler allocates is none of a delta's.
    await once();
    const bytes = (await allocated(once)) / deltas;
    ok(bytes > 100 && bytes < 2_000, `${bytes} bytes for each delta`);
  }).timeout(20_000);

  it("parses arguments once when they are whole, and never what there is of them", async () => {
    const deltas = 5_000;
    const text = "line of code;\n".repeat(2_500);
    const server = serverOf([largeCall(text, deltas), textOf(1)]);
    const { result, counts } = await counted(() => talk(server));
    equal(result.calls, 1);
    ok(counts.parses <= deltas + 40, `${counts.parses} parses`);
    ok(counts.parsedCharacters < server.sentCharacters + 2 * text.length, `${counts.parsedCharacters} characters`);
  });

  it("serialises what is new in a request, however long the conversation is", async () => {
    const turns = 80;
    const perTurn: number[] = [];
    const server = serverOf([...Array.from({ length: turns }, (_, at) => callsOf(at, 1)), textOf(1)]);
    const { counts } = await counted((soFar) =>
      talk(server, { onTurn: () => perTurn.push(soFar.serialisedCharacters) }),
    );
    const between = (from: number, to: number) => ((perTurn[to] ?? 0) - (perTurn[from] ?? 0)) / (to - from);
    const [early, late] = [between(5, 15), between(65, 75)];
    ok(late < early * 1.1, `${early} characters a turn at first, ${late} at the end`);
    ok(counts.stringifications / turns < 9, `${counts.stringifications / turns} serialisations a turn`);
  });

  it("sends no more than a loop around the SDK would, but its marks", async () => {
    const turns = 30;
    const server = serverOf([...Array.from({ length: turns }, (_, at) => callsOf(at, 1)), textOf(1)]);
    await talk(server);
    const last = server.bodies.at(-1) ?? "";
    const { messages } = JSON.parse(last) as { messages: object[] };
    const plain = [
      { role: "user", content: "Go." },
      ...Array.from({ length: turns }, (_, at) => {
        const input = argumentsOf(at);
        const use = { type: "tool_use", id: `call_${at}_0`, name: "read", input };
        const answer = { type: "tool_result", tool_use_id: use.id, content: `The content of ${input.path}.` };
        return [
          { role: "assistant", content: [use] },
          { role: "user", content: [answer] },
        ];
      }).flat(),
    ];
    const marks = 2 * ',"cache_control":{"type":"ephemeral"}'.length;
    // The user's text is a block, so that its mark can move on without changing it.
    const block = '[{"type":"text","text":}]'.length;
    equal(JSON.stringify(messages).length, JSON.stringify(plain).length + marks + block);
  });

  it("sends the body of a request as it is, and has no copy made of it", async () => {
    const server = createServer((request, response) => {
      request.resume();
      request.on("end", () => response.writeHead(200, { "content-type": "text/event-stream" }).end(textOf(1)));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const { tee } = ReadableStream.prototype;
    let copies = 0;
    ReadableStream.prototype.tee = function (this: ReadableStream) {
      copies++;
      return tee.call(this);
    };
    try {
      const streamFn = anthropicStream({ apiKey: "key", baseUrl: `http://127.0.0.1:${port}` });
      const agent = new Agent({ model, streamFn, systemPrompt: "You talk.", tools: [] });
      equal((await agent.prompt("Go.")).reason, "done");
      equal(copies, 0);
    } finally {
      ReadableStream.prototype.tee = tee;
      server.closeAllConnections();
      server.close();
    }
  });

  it("makes no signal, listener or timer for a call whose tool needs none", async () => {
    const calls = 160;
    const few = await counted(() => talk(serverOf([callsOf(0, 1), textOf(1)])));
    const many = await counted(() => talk(serverOf([callsOf(0, calls + 1), textOf(1)])));
    equal(many.result.calls, calls + 1);
    const more = (name: "controllers" | "listeners" | "timers") => many.counts[name] - few.counts[name];
    deepEqual([more("controllers"), more("listeners"), more("timers")], [0, 0, 0]);
    const promises = (many.counts.promises - few.counts.promises) / calls;
    ok(promises < 38, `${promises} promises for each call`);
  });

  it("makes no exception for a stream that is aborted, but the SDK's", async () => {
    const server = endlessServer();
    const streamFn = anthropicStream({ apiKey: "key", baseUrl: "http://localhost:1", fetch: server.fetch });
    const agent = new Agent({ model, streamFn, systemPrompt: "You talk.", tools: [] });
    agent.subscribe((event) => event.type === "message_update" && void agent.abort());
    const { result, counts } = await counted(() => agent.send("Go.").result);
    equal(result.reason, "aborted");
    equal(server.isCanceled(), true);
    equal(counts.unexplainedAborts, 1);
  });

  it("hands the root the very event that a sub-agent's listeners got", async () => {
    const own: AgentEvent[] = [];
    const fanOut = defineTool({
      name: "fan_out",
      description: "Starts sub-agents.",
      schema: z.object({}),
      async execute(_args, context) {
        const child = context.subAgents.create({ model, systemPrompt: "You read.", tools: [] });
        child.subscribe((event) => own.push(event));
        await child.prompt("Go.");
        return "ok";
      },
    });
    const server = serverOf([frames([callBlock(0, "fan_out", "call_root", {})], "tool_use"), textOf(50), textOf(1)]);
    const mirrored: AgentEvent[] = [];
    await talk(server, { tools: [fanOut], onEvent: (event) => event.agent.depth === 1 && mirrored.push(event) });
    ok(own.length > 50);
    ok(own.every((event) => mirrored.includes(event)));
  });

  it("converts a schema once for all tools that have it", () => {
    const one = toolDefinition({ ...read });
    const other = toolDefinition({ ...read, description: "Reads it again." });
    equal(other.description, "Reads it again.");
    equal(one.parameters, other.parameters);
  });

  it("makes no schema when it is loaded", async () => {
    const source = path.join(import.meta.dirname, "../../src/agent");
    const made: string[] = [];
    let files = 0;
    for await (const file of glob(`${source}/**/*.ts`)) {
      files += 1;
      if (/^(?:export )?const \w+(?:: [^=]+)? = z\./m.test(await readFile(file, "utf8"))) made.push(file);
    }
    ok(files > 100, `${files} files`);
    deepEqual(made, []);
  });
});

interface Counts {
  parses: number;
  parsedCharacters: number;
  stringifications: number;
  serialisedCharacters: number;
  promises: number;
  controllers: number;
  /** Each makes an exception. */
  unexplainedAborts: number;
  listeners: number;
  timers: number;
}

/** Counts while `work` runs. What counts is put in the platform's place for that time. */
async function counted<T>(work: (soFar: Counts) => Promise<T>): Promise<{ result: T; counts: Counts }> {
  const counts: Counts = {
    ...{ parses: 0, parsedCharacters: 0, stringifications: 0, serialisedCharacters: 0 },
    ...{ promises: 0, controllers: 0, unexplainedAborts: 0, listeners: 0, timers: 0 },
  };
  const { parse, stringify } = JSON;
  const { AbortController: Controller, setTimeout: startTimer } = globalThis;
  const { addEventListener } = EventTarget.prototype;
  const stopHook = promiseHooks.onInit(() => {
    counts.promises += 1;
  });
  JSON.parse = (text: string, reviver) => {
    counts.parses += 1;
    counts.parsedCharacters += text.length;
    return parse(text, reviver);
  };
  Object.assign(JSON, {
    stringify(...given: Parameters<typeof stringify>) {
      const text = stringify(...given);
      counts.stringifications += 1;
      counts.serialisedCharacters += text?.length ?? 0;
      return text;
    },
  });
  globalThis.AbortController = class extends Controller {
    constructor() {
      super();
      counts.controllers += 1;
    }

    override abort(reason?: unknown) {
      if (reason === undefined) counts.unexplainedAborts += 1;
      super.abort(reason);
    }
  };
  EventTarget.prototype.addEventListener = function (...given) {
    counts.listeners += 1;
    addEventListener.apply(this, given);
  };
  globalThis.setTimeout = Object.assign((...given: Parameters<typeof startTimer>) => {
    counts.timers += 1;
    return startTimer(...given);
  }, startTimer);
  try {
    return { result: await work(counts), counts };
  } finally {
    stopHook();
    Object.assign(JSON, { parse, stringify });
    Object.assign(globalThis, { AbortController: Controller, setTimeout: startTimer });
    EventTarget.prototype.addEventListener = addEventListener;
  }
}

/** Bytes of all objects that are made while `work` runs, also of those that are collected before its end: by samples. */
async function allocated(work: () => Promise<unknown>): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post("HeapProfiler.startSampling", {
    samplingInterval: 1_024,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await work();
  const { profile } = await session.post("HeapProfiler.stopSampling");
  session.disconnect();
  const sizeOf = ({ selfSize, children }: (typeof profile)["head"]): number =>
    selfSize + children.reduce((sum, child) => sum + sizeOf(child), 0);
  return sizeOf(profile.head);
}

interface Talk {
  tools?: AgentTool[];
  awaits?: boolean;
  onTurn?(): void;
  onEvent?(event: AgentEvent): void;
}

async function talk(server: FakeServer, { tools = [read], awaits = true, onTurn, onEvent }: Talk = {}) {
  const streamFn = anthropicStream({ apiKey: "key", baseUrl: "http://localhost:1", fetch: server.fetch });
  const agent = new Agent({ model, streamFn, systemPrompt: "You read files.", tools });
  const seen = { deltas: 0, calls: 0 };
  const watch = (event: AgentEvent) => {
    if (event.type === "message_update" && event.delta.type === "text_delta") seen.deltas += 1;
    else if (event.type === "tool_execution_end" && !event.isError) seen.calls += 1;
    else if (event.type === "turn_start") onTurn?.();
    onEvent?.(event);
  };
  if (!awaits) agent.subscribe(watch);
  const stream = agent.send("Go.");
  if (awaits) for await (const event of stream) watch(event);
  const { reason, error } = await stream.result;
  if (reason !== "done") throw error ?? new Error(reason);
  return seen;
}

interface FakeServer {
  fetch: typeof fetch;
  bodies: string[];
  sentCharacters: number;
  chunks: number;
  chunksRead: number;
}

const chunkSize = 65_536;

/** Answers each request with the next of these streams, in chunks of the usual size. */
function serverOf(answers: readonly string[]): FakeServer {
  const encoder = new TextEncoder();
  const server: FakeServer = {
    ...{ bodies: [], sentCharacters: 0, chunks: 0, chunksRead: 0 },
    fetch: async (_url, init) => {
      const bytes = encoder.encode(answers[server.bodies.length]);
      server.bodies.push(String(init?.body));
      server.sentCharacters += bytes.length;
      server.chunks += Math.ceil(bytes.length / chunkSize);
      let at = 0;
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        if (at >= bytes.length) return controller.close();
        server.chunksRead += 1;
        controller.enqueue(bytes.subarray(at, at + chunkSize));
        at += chunkSize;
      };
      const body = new ReadableStream({ pull }, { highWaterMark: 0 });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  };
  return server;
}

/** Begins an answer that has no end. */
function endlessServer() {
  let isCanceled = false;
  const text = textOf(3);
  const begun = new TextEncoder().encode(text.slice(0, text.indexOf("event: content_block_stop")));
  return {
    isCanceled: () => isCanceled,
    fetch: async () => {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(begun),
        cancel: () => {
          isCanceled = true;
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  };
}

function frame(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function frames(blocks: readonly string[], stopReason: string): string {
  const usage = { input_tokens: 7, output_tokens: 3 };
  const start = frame("message_start", { message: { usage } });
  const end = frame("message_delta", { delta: { stop_reason: stopReason }, usage }) + frame("message_stop", {});
  return start + blocks.join("") + end;
}

function block(index: number, start: object, deltas: readonly object[]): string {
  const pieces = deltas.map((delta) => frame("content_block_delta", { index, delta })).join("");
  return (
    frame("content_block_start", { index, content_block: start }) + pieces + frame("content_block_stop", { index })
  );
}

function textOf(deltas: number): string {
  const pieces = Array.from({ length: deltas }, () => ({ type: "text_delta", text: "word " }));
  return frames([block(0, { type: "text", text: "" }, pieces)], "end_turn");
}

function callBlock(index: number, name: string, id: string, input: object): string {
  const delta = { type: "input_json_delta", partial_json: JSON.stringify(input) };
  return block(index, { type: "tool_use", id, name, input: {} }, [delta]);
}

function callsOf(turn: number, count: number): string {
  const blocks = Array.from({ length: count }, (_, at) =>
    callBlock(at, "read", `call_${turn}_${at}`, argumentsOf(turn)),
  );
  return frames(blocks, "tool_use");
}

function largeCall(text: string, deltas: number): string {
  const json = JSON.stringify({ path: text, from: 1 });
  const size = Math.ceil(json.length / deltas);
  const pieces = Array.from({ length: deltas }, (_, at) => {
    return { type: "input_json_delta", partial_json: json.slice(at * size, (at + 1) * size) };
  });
  return frames([block(0, { type: "tool_use", id: "call", name: "read", input: {} }, pieces)], "tool_use");
}
