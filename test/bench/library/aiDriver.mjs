// Written against the Vercel AI SDK as it is published; its packages are in test/bench/peers.
import { createAnthropic } from "../peers/node_modules/@ai-sdk/anthropic/dist/index.js";
import { jsonSchema, stepCountIs, streamText, tool } from "../peers/node_modules/ai/dist/index.js";
import { measureAbort, nothingSeen, readFile, seeDelta, writeFile } from "./driver.ts";
import { deltasBeforeAbort } from "./scenarios.ts";

/** @type {import("./driver.ts").Driver} */
export const driver = {
  async prepare(url) {
    const provider = createAnthropic({ apiKey: "key", baseURL: `${url}/v1` });
    return {
      async run({ kind, width }) {
        const seen = nothingSeen();
        /** Resolves with the last answer's text. */
        const start = async (id, tools, onDelta, abortSignal) => {
          const { fullStream } = streamText({
            model: provider(id),
            instructions: "You read files.",
            prompt: "Read the files.",
            maxOutputTokens: 4096,
            maxRetries: 0,
            stopWhen: stepCountIs(10_000),
            tools,
            abortSignal,
            onError: () => {},
          });
          let text = "";
          for await (const part of fullStream) {
            if (part.type === "text-delta") {
              text += part.text;
              onDelta(part.text);
            } else if (part.type === "start-step") {
              text = "";
              seen.turns.push(performance.now());
            } else if (part.type === "finish-step") {
              seen.usage.input += part.usage.inputTokens;
              seen.usage.output += part.usage.outputTokens;
            } else if (part.type === "error" && !abortSignal?.aborted) throw part.error;
          }
          return text;
        };
        const files = fileTools(seen);
        // It has no sub-agents: this is how one would start them in a tool.
        const fanOut = (child, onDelta) => ({
          fan_out: tool({
            description: "Starts sub-agents.",
            inputSchema: jsonSchema({ type: "object", properties: {} }),
            async execute(_args, { abortSignal }) {
              const children = Array.from({ length: width }, () => start(child, files, onDelta, abortSignal));
              await Promise.all(children);
              return `${width} have finished.`;
            },
          }),
        });
        if (kind === "abort" || kind === "abortTree") {
          return measureAbort({
            seen,
            deltas: (kind === "abort" ? 1 : width) * deltasBeforeAbort,
            start(onDelta) {
              const controller = new AbortController();
              const id = kind === "abort" ? "stream" : "root";
              const tools = kind === "abort" ? files : fanOut("stream", onDelta);
              return { settled: start(id, tools, onDelta, controller.signal), abort: () => controller.abort() };
            },
          });
        }
        const count = (text) => seeDelta(seen, text);
        seen.text = await (kind === "fanOut"
          ? start("root", fanOut("child", count), count)
          : start("run", files, count));
        return seen;
      },
    };
  },
};

function fileTools(seen) {
  const path = { type: "string" };
  const schema = (properties) => jsonSchema({ type: "object", properties, required: Object.keys(properties) });
  return {
    read: tool({
      description: "Reads a file.",
      inputSchema: schema({ path, from: { type: "number" } }),
      execute: async (args) => readFile(seen, args),
    }),
    write: tool({
      description: "Writes a file.",
      inputSchema: schema({ path, text: { type: "string" } }),
      execute: async (args) => writeFile(seen, args),
    }),
  };
}
