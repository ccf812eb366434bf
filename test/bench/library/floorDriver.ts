import Anthropic from "@anthropic-ai/sdk";
import { type Driver, measureAbort, nothingSeen, readFile, type Seen, seeDelta, writeFile } from "./driver.ts";
import { deltasBeforeAbort } from "./scenarios.ts";

type Message = Anthropic.MessageParam;
type Block = Anthropic.ContentBlockParam;

const path = { type: "string" };
const fileTools: Anthropic.Tool[] = [
  {
    name: "read",
    description: "Reads a file.",
    input_schema: { type: "object", properties: { path, from: { type: "number" } }, required: ["path", "from"] },
  },
  {
    name: "write",
    description: "Writes a file.",
    input_schema: { type: "object", properties: { path, text: { type: "string" } }, required: ["path", "text"] },
  },
];
const fanOutTool: Anthropic.Tool = {
  name: "fan_out",
  description: "Starts sub-agents.",
  input_schema: { type: "object", properties: {} },
};

/** The least that one would write around the SDK: ask, collect, run the tools, ask again. */
export const driver: Driver = {
  async prepare(url) {
    const client = new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 });
    return {
      async run({ kind, width }) {
        const seen = nothingSeen();
        const work = (model: string, o: Pick<Loop, "onDelta" | "signal">): Loop => {
          const run: Run = (block) => runTool(block, seen);
          return { client, model, seen, tools: fileTools, run, ...o };
        };
        const root = (model: string, o: Pick<Loop, "onDelta" | "signal">): Loop => ({
          ...work("root", o),
          tools: [fanOutTool],
          async run() {
            const children = Array.from({ length: width }, () => loop(work(model, o)));
            // An abort is over when all of them have settled, not with the first.
            await Promise.allSettled(children);
            await Promise.all(children);
            return `${width} have finished.`;
          },
        });
        if (kind === "abort" || kind === "abortTree") {
          return measureAbort({
            seen,
            deltas: (kind === "abort" ? 1 : width) * deltasBeforeAbort,
            start(onDelta) {
              const controller = new AbortController();
              const o = { onDelta, signal: controller.signal };
              const settled = loop(kind === "abort" ? work("stream", o) : root("stream", o)).catch((error: unknown) => {
                if (!controller.signal.aborted) throw error;
              });
              return { settled, abort: () => controller.abort() };
            },
          });
        }
        const o = { onDelta: (text: string) => seeDelta(seen, text), signal: new AbortController().signal };
        seen.text = await loop(kind === "fanOut" ? root("child", o) : work("run", o));
        return seen;
      },
    };
  },
};

type Run = (block: Anthropic.ToolUseBlockParam) => string | Promise<string>;

interface Loop {
  client: Anthropic;
  model: string;
  seen: Seen;
  tools: Anthropic.Tool[];
  run: Run;
  onDelta(text: string): void;
  signal: AbortSignal;
}

/** Resolves with the last answer's text. */
async function loop(o: Loop): Promise<string> {
  const messages: Message[] = [{ role: "user", content: "Read the files." }];
  for (;;) {
    o.seen.turns.push(performance.now());
    const content = await answer(o, messages);
    messages.push({ role: "assistant", content });
    const calls = content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) return content.map((block) => (block.type === "text" ? block.text : "")).join("");
    const results = await Promise.all(
      calls.map(async (call): Promise<Block> => {
        return { type: "tool_result", tool_use_id: call.id, content: await o.run(call) };
      }),
    );
    messages.push({ role: "user", content: results });
  }
}

function runTool({ name, input }: Anthropic.ToolUseBlockParam, seen: Seen): string {
  // The script sends these arguments; a loop this small would not check them.
  return name === "read" ? readFile(seen, input as { path: string }) : writeFile(seen, input as WriteInput);
}

type WriteInput = { path: string; text: string };

async function answer({ client, model, tools, seen, onDelta, signal }: Loop, messages: Message[]): Promise<Block[]> {
  const request = { model, max_tokens: 4096, system: "You read files.", messages, tools, stream: true as const };
  const stream = await client.messages.create(request, { signal });
  const content: Block[] = [];
  let json = "";
  let input = 0;
  let output = 0;
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
        onDelta(event.delta.text);
      } else if (event.delta.type === "input_json_delta") json += event.delta.partial_json;
    } else if (event.type === "content_block_stop") {
      const block = content.at(-1);
      if (block?.type === "tool_use") block.input = JSON.parse(json);
    } else if (event.type === "message_start") input = event.message.usage.input_tokens;
    else if (event.type === "message_delta") output = event.usage.output_tokens;
  }
  seen.usage.input += input;
  seen.usage.output += output;
  return content;
}
