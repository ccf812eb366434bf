// Written against @mariozechner/pi-agent-core as it is published; its packages are in test/bench/peers.
import { Agent } from "../peers/node_modules/@mariozechner/pi-agent-core/dist/index.js";
import { Type } from "../peers/node_modules/typebox/build/index.mjs";
import { measureAbort } from "./driver.ts";

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
        const seen = { deltas: 0, calls: 0, turns: [] };
        const start = (id, onDelta) => {
          const agent = new Agent({
            initialState: { systemPrompt: "You read files.", model: model(id, url), tools: fileTools(seen) },
            getApiKey: () => "key",
          });
          agent.subscribe((event) => {
            if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") onDelta();
            else if (event.type === "turn_start") seen.turns.push(performance.now());
          });
          return { settled: agent.prompt("Read the files.").then(() => agent), abort: () => agent.abort() };
        };
        if (kind === "abort") return measureAbort({ width, seen, start: (onDelta) => start("stream", onDelta) });
        const count = () => {
          seen.deltas += 1;
        };
        const ids = kind === "fanOut" ? Array.from({ length: width }, () => "child") : ["run"];
        const agents = await Promise.all(ids.map((id) => start(id, count).settled));
        for (const agent of agents) if (agent.state.errorMessage) throw new Error(agent.state.errorMessage);
        return seen;
      },
    };
  },
};

function fileTools(seen) {
  const tool = (name, parameters, answer) => ({
    name,
    label: name,
    description: `The tool ${name}.`,
    parameters,
    async execute(_id, args) {
      seen.calls += 1;
      return { content: [{ type: "text", text: answer(args) }], details: {} };
    },
  });
  const path = Type.String();
  return [
    tool("read", Type.Object({ path, from: Type.Number() }), (args) => `The content of ${args.path}.`),
    tool("write", Type.Object({ path, text: Type.String() }), (args) => `${args.text.length} characters.`),
  ];
}
