import * as z from "zod";
import { Agent, type AgentEvent, type AgentTool, defineTool, type Model } from "../../../src/agent/index.ts";
import { anthropicStream } from "../../../src/agent/providers/index.ts";
import { type Driver, measureAbort, type Seen } from "./driver.ts";

const model = (id: string): Model => ({ id, provider: "anthropic", contextWindow: 200_000, maxOutput: 4096 });

export const driver: Driver = {
  async prepare(url) {
    const streamFn = anthropicStream({ apiKey: "key", baseUrl: url });
    return {
      async run({ kind, width }) {
        const seen: Seen = { deltas: 0, calls: 0, turns: [] };
        const base = { streamFn, systemPrompt: "You read files.", tools: fileTools(seen) };
        if (kind === "abort") {
          return measureAbort({
            width,
            seen,
            start(onDelta) {
              const agent = new Agent({ ...base, model: model("stream") });
              agent.subscribe((event) => isTextDelta(event) && onDelta());
              const stream = agent.send("Talk.");
              return { settled: stream.result, abort: () => void agent.abort() };
            },
          });
        }
        const agent =
          kind === "fanOut"
            ? new Agent({ ...base, model: model("root"), tools: [fanOut(base.tools, width)] })
            : new Agent({ ...base, model: model("run") });
        const stream = agent.send("Read the files.");
        for await (const event of stream) watch(event, seen);
        const { reason, error } = await stream.result;
        if (reason !== "done") throw error ?? new Error(reason);
        return seen;
      },
    };
  },
};

function watch(event: AgentEvent, seen: Seen): void {
  if (isTextDelta(event)) seen.deltas += 1;
  else if (event.type === "turn_start" && event.agent.depth === 0) seen.turns.push(performance.now());
}

function isTextDelta(event: AgentEvent): boolean {
  return event.type === "message_update" && event.delta.type === "text_delta";
}

function fileTools(seen: Seen): AgentTool[] {
  const read = defineTool({
    name: "read",
    description: "Reads a file.",
    schema: z.object({ path: z.string(), from: z.number() }),
    execute({ path }) {
      seen.calls += 1;
      return `The content of ${path}.`;
    },
  });
  const write = defineTool({
    name: "write",
    description: "Writes a file.",
    schema: z.object({ path: z.string(), text: z.string() }),
    execute({ text }) {
      seen.calls += 1;
      return `${text.length} characters.`;
    },
  });
  return [read, write];
}

/** Starts all children at once; the root's stream carries all of their events. */
function fanOut(tools: AgentTool[], width: number): AgentTool {
  return defineTool({
    name: "fan_out",
    description: "Starts sub-agents.",
    schema: z.object({}),
    async execute(_args, context) {
      const children = Array.from({ length: width }, () =>
        context.subAgents.create({ model: model("child"), systemPrompt: "You read files.", tools }),
      );
      const results = await Promise.all(children.map((child) => child.prompt("Read the files.")));
      return `${results.length} have finished.`;
    },
  });
}
