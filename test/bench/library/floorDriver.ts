import Anthropic from "@anthropic-ai/sdk";
import { type Driver, measureAbort, type Seen } from "./driver.ts";

type Message = Anthropic.MessageParam;
type Block = Anthropic.ContentBlockParam;

const schema = { type: "object" as const, properties: { path: { type: "string" }, from: { type: "number" } } };
const tools = [
  { name: "read", description: "Reads a file.", input_schema: schema },
  { name: "write", description: "Writes a file.", input_schema: schema },
];

/** The least that one would write around the SDK: ask, collect, run the tools, ask again. */
export const driver: Driver = {
  async prepare(url) {
    const client = new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 });
    return {
      async run({ kind, width }) {
        const seen: Seen = { deltas: 0, calls: 0, turns: [] };
        const onDelta = () => {
          seen.deltas += 1;
        };
        if (kind === "abort") {
          return measureAbort({
            width,
            seen,
            start(counted) {
              const controller = new AbortController();
              const settled = loop(client, "stream", { seen, onDelta: counted, signal: controller.signal }).catch(
                (error: unknown) => {
                  if (!controller.signal.aborted) throw error;
                },
              );
              return { settled, abort: () => controller.abort() };
            },
          });
        }
        const { signal } = new AbortController();
        const ids = kind === "fanOut" ? Array.from({ length: width }, () => "child") : ["run"];
        await Promise.all(ids.map((id) => loop(client, id, { seen, onDelta, signal })));
        return seen;
      },
    };
  },
};

interface Watch {
  seen: Seen;
  onDelta(): void;
  signal: AbortSignal;
}

async function loop(client: Anthropic, model: string, watch: Watch): Promise<void> {
  const messages: Message[] = [{ role: "user", content: "Read the files." }];
  for (;;) {
    watch.seen.turns.push(performance.now());
    const content = await answer(client, model, messages, watch);
    messages.push({ role: "assistant", content });
    const results = content.flatMap((block): Block[] =>
      block.type === "tool_use"
        ? [{ type: "tool_result", tool_use_id: block.id, content: runTool(block, watch.seen) }]
        : [],
    );
    if (results.length === 0) return;
    messages.push({ role: "user", content: results });
  }
}

function runTool(block: Anthropic.ToolUseBlockParam, seen: Seen): string {
  seen.calls += 1;
  // The script sends these arguments; a loop this small would not check them.
  const { path } = block.input as { path: string };
  return `The content of ${path}.`;
}

async function answer(client: Anthropic, model: string, messages: Message[], watch: Watch): Promise<Block[]> {
  const request = { model, max_tokens: 4096, system: "You read files.", messages, tools, stream: true as const };
  const stream = await client.messages.create(request, { signal: watch.signal });
  const content: Block[] = [];
  let json = "";
  for await (const event of stream) {
    if (event.type === "content_block_start") {
      json = "";
      const block = event.content_block;
      if (block.type === "text") content.push({ type: "text", text: "" });
      if (block.type === "tool_use") content.push({ type: "tool_use", id: block.id, name: block.name, input: {} });
    } else if (event.type === "content_block_delta") {
      const block = content.at(-1);
      if (event.delta.type === "text_delta" && block?.type === "text") {
        block.text += event.delta.text;
        watch.onDelta();
      } else if (event.delta.type === "input_json_delta") json += event.delta.partial_json;
    } else if (event.type === "content_block_stop") {
      const block = content.at(-1);
      if (block?.type === "tool_use") block.input = JSON.parse(json);
    }
  }
  return content;
}
