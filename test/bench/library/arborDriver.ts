import * as z from "zod";
import { Agent, type AgentEvent, type AgentTool, defineTool, type Model } from "../../../src/agent/index.ts";
import { anthropicStream } from "../../../src/agent/providers/index.ts";
import { type Driver, measureAbort, nothingSeen, readFile, type Seen, seeDelta, writeFile } from "./driver.ts";
import { deltasBeforeAbort } from "./scenarios.ts";

const model = (id: string): Model => ({ id, provider: "anthropic", contextWindow: 200_000, maxOutput: 4096 });

export const driver: Driver = {
  async prepare(url) {
    const streamFn = anthropicStream({ apiKey: "key", baseUrl: url });
    return {
      async run({ kind, width }) {
        const seen = nothingSeen();
        const base = { streamFn, systemPrompt: "You read files.", tools: fileTools(seen) };
        const root = (child: string) =>
          new Agent({ ...base, model: model("root"), tools: [fanOut(base.tools, { width, child })] });
        if (kind === "abort" || kind === "abortTree") {
          return measureAbort({
            seen,
            deltas: (kind === "abort" ? 1 : width) * deltasBeforeAbort,
            start(onDelta) {
              const agent = kind === "abort" ? new Agent({ ...base, model: model("stream") }) : root("stream");
              agent.subscribe((event) => {
                const text = textDelta(event);
                if (text !== undefined) onDelta(text);
              });
              const stream = agent.send("Talk.");
              return { settled: stream.result, abort: () => void agent.abort() };
            },
          });
        }
        const agent = kind === "fanOut" ? root("child") : new Agent({ ...base, model: model("run") });
        const stream = agent.send("Read the files.");
        for await (const event of stream) watch(event, seen);
        const { reason, error, text, usage } = await stream.result;
        if (reason !== "done") throw error ?? new Error(reason);
        seen.usage = { input: usage.input, output: usage.output };
        if (text !== undefined) seen.text = text;
        return seen;
      },
    };
  },
};

function watch(event: AgentEvent, seen: Seen): void {
  const text = textDelta(event);
  if (text !== undefined) seeDelta(seen, text);
  else if (event.type === "turn_start" && event.agent.depth === 0) seen.turns.push(performance.now());
}

function textDelta(event: AgentEvent): string | undefined {
  return event.type === "message_update" && event.delta.type === "text_delta" ? event.delta.delta : undefined;
}

function fileTools(seen: Seen): AgentTool[] {
  const read = defineTool({
    name: "read",
    description: "Reads a file.",
    schema: z.object({ path: z.string(), from: z.number() }),
    execute: (args) => readFile(seen, args),
  });
  const write = defineTool({
    name: "write",
    description: "Writes a file.",
    schema: z.object({ path: z.string(), text: z.string() }),
    execute: (args) => writeFile(seen, args),
  });
  return [read, write];
}

/** Starts all children at once; the root's stream has all of their events. */
function fanOut(tools: AgentTool[], { width, child }: { width: number; child: string }): AgentTool {
  return defineTool({
    name: "fan_out",
    description: "Starts sub-agents.",
    schema: z.object({}),
    async execute(_args, context) {
      const children = Array.from({ length: width }, () =>
        context.subAgents.create({ model: model(child), systemPrompt: "You read files.", tools }),
      );
      const results = await Promise.all(children.map((agent) => agent.prompt("Read the files.")));
      return `${results.length} have finished.`;
    },
  });
}
