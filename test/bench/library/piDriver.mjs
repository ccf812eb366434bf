// Written against @mariozechner/pi-agent-core as it is published; its packages are in test/bench/peers.
import { Agent } from "../peers/node_modules/@mariozechner/pi-agent-core/dist/index.js";
import { Type } from "../peers/node_modules/typebox/build/index.mjs";
import { measureAbort, nothingSeen, readFile, seeDelta, writeFile } from "./driver.ts";
import { deltasBeforeAbort } from "./scenarios.ts";

const model = (id, baseUrl) => ({
  id,
  name: id,
  api: "anthropic-messages",
  provider: "anthropic",
  baseUrl,
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200_000,
  maxTokens: 4096,
});

/** @type {import("./driver.ts").Driver} */
export const driver = {
  async prepare(url) {
    return {
      async run({ kind, width }) {
        const seen = nothingSeen();
        const start = (id, tools, onDelta) => {
          const agent = new Agent({
            initialState: { systemPrompt: "You read files.", model: model(id, url), tools },
            getApiKey: () => "key",
          });
          agent.subscribe((event) => {
            if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
              onDelta(event.assistantMessageEvent.delta);
            else if (event.type === "turn_start") seen.turns.push(performance.now());
            else if (event.type === "message_end" && event.message.role === "assistant") {
              seen.usage.input += event.message.usage.input;
              seen.usage.output += event.message.usage.output;
            }
          });
          return { agent, settled: agent.prompt("Read the files.").then(() => agent), abort: () => agent.abort() };
        };
        const files = fileTools(seen);
        // It has no sub-agents: this is how one would start them in a tool.
        const fanOut = (child, onDelta) =>
          tool("fan_out", Type.Object({}), async (_args, signal) => {
            const children = Array.from({ length: width }, () => start(child, files, onDelta));
            signal?.addEventListener("abort", () => {
              for (const one of children) one.abort();
            });
            await Promise.all(children.map((one) => one.settled));
            return `${width} have finished.`;
          });
        if (kind === "abort" || kind === "abortTree") {
          return measureAbort({
            seen,
            deltas: (kind === "abort" ? 1 : width) * deltasBeforeAbort,
            start: (onDelta) =>
              kind === "abort" ? start("stream", files, onDelta) : start("root", [fanOut("stream", onDelta)], onDelta),
          });
        }
        const count = (text) => seeDelta(seen, text);
        const { settled } =
          kind === "fanOut" ? start("root", [fanOut("child", count)], count) : start("run", files, count);
        const { state } = await settled;
        if (state.errorMessage) throw new Error(state.errorMessage);
        seen.text = state.messages
          .at(-1)
          .content.map((part) => part.text ?? "")
          .join("");
        return seen;
      },
    };
  },
};

function tool(name, parameters, answer) {
  return {
    name,
    label: name,
    description: `The tool ${name}.`,
    parameters,
    async execute(_id, args, signal) {
      return { content: [{ type: "text", text: await answer(args, signal) }], details: {} };
    },
  };
}

function fileTools(seen) {
  const path = Type.String();
  return [
    tool("read", Type.Object({ path, from: Type.Number() }), (args) => readFile(seen, args)),
    tool("write", Type.Object({ path, text: Type.String() }), (args) => writeFile(seen, args)),
  ];
}
