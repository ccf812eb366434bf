import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createJsonCache } from "../../../src/agent/providers/shared/json.ts";
import { modelFamily } from "../../../src/agent/providers/shared/modelFamily.ts";
import { requestFields } from "../../../src/agent/providers/shared/optionalFields.ts";
import type { Model, StreamOptions, ThinkingLevel } from "../../../src/agent/vocabulary/model.ts";
import type { WireName } from "../../support/fakeProvider/script.ts";
import { asking, assistant, toolResult, user, wires } from "./support.ts";

const file = new URL("../../../docs/models.md", import.meta.url);

/** A model as a reader finds theirs in the tables, and where it is asked. */
interface Sample {
  id: string;
  /** Default: a server of no one's. */
  baseUrl?: string;
  heading?: string;
}

const openrouter = "https://openrouter.ai/api/v1";
const samples: Readonly<Record<WireName, readonly Sample[]>> = {
  anthropic: [
    { id: "claude-sonnet-4-5" },
    { id: "claude-opus-4-8" },
    { id: "claude-opus-5" },
    { id: "claude-opus-5-5" },
    { id: "claude-sonnet-5-5" },
    { id: "any-other" },
  ],
  responses: [
    { id: "gpt-4.1" },
    { id: "gpt-5-codex" },
    { id: "gpt-5.6-sol" },
    { id: "gpt-6-astra" },
    { id: "any-other" },
  ],
  chat: [
    { id: "gpt-5.6-sol", baseUrl: "https://api.openai.com/v1", heading: "OpenAI: gpt-5.6-sol" },
    { id: "anthropic/claude-opus-5.5", baseUrl: openrouter, heading: "OpenRouter: claude-opus-5.5" },
    { id: "any/other", baseUrl: openrouter, heading: "OpenRouter: any other" },
    {
      id: "gemini-3.1-pro",
      baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
      heading: "Google: gemini-3.1-pro",
    },
    { id: "deepseek-v4-pro", baseUrl: "https://api.deepseek.com/v1", heading: "DeepSeek: deepseek-v4-pro" },
    { id: "any-other", heading: "any other" },
  ],
};
const families = [
  ...[
    "claude-3-5-sonnet",
    "claude-sonnet-4-5",
    "claude-opus-4-6",
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-sonnet-5",
  ],
  ...["claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5", "claude-fable-5-1"],
  ...["o4-mini", "gpt-4.1", "gpt-5", "gpt-5-codex", "gpt-5-pro", "gpt-5.1", "gpt-5.1-codex-max", "gpt-5.4"],
  ...["gpt-5.6-sol", "gpt-6-luna", "gpt-6-astra", "gpt-6.2-sol"],
  ...["gemini-2.5-flash", "gemini-3.1-pro", "deepseek-v4-pro", "any-other"],
];

/** The fields that a request with everything in it asks to send. */
function sentFields(wireName: WireName, { id, baseUrl = "http://server.test/v1" }: Sample, level: ThinkingLevel) {
  const wire = wires[wireName];
  const model: Model = { id, provider: "test" };
  const options: StreamOptions = {
    ...{ thinkingLevel: level, temperature: 1, maxOutput: 32_000, sessionId: "chat", cacheLifetime: "long" },
    output: { name: "output", schema: {} },
  };
  const fields = requestFields(new Set());
  const called = { ...assistant({ type: "toolCall", id: "c", name: "read", arguments: {} }), model: id };
  const freeText = { argument: "text", grammar: "start: /.+/" };
  const tools = [{ name: "read", description: "Reads", parameters: { type: "object" }, freeText }];
  const request = { ...asking(user("Go"), called, toolResult("c", "A"), assistant(), user("On")), tools };
  wire.writeBody(model, request, options, { cache: createJsonCache(), baseUrl, fields });
  wire.writeHeaders?.(model, options, fields);
  return fields.sent;
}

function cell(wireName: WireName, sample: Sample, name: string): string {
  const isSentOff = sentFields(wireName, sample, "off").has(name);
  const isSentOn = sentFields(wireName, sample, "high").has(name);
  if (isSentOff && isSentOn) return "yes";
  return isSentOn ? "thinking" : isSentOff ? "no thinking" : "";
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  const line = (row: readonly string[]) => `| ${row.map((text, at) => text.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}

function fieldTable(wireName: WireName): string {
  const columns = samples[wireName];
  const head = ["field", ...columns.map(({ id, heading = id }) => heading)];
  const rows = wires[wireName].optionalFields.map(({ name }) => [
    `\`${name}\``,
    ...columns.map((sample) => cell(wireName, sample, name)),
  ]);
  return table([head, ...rows]);
}

/** What the wire of its maker writes for the least that a model can be asked to think. */
function leastOf(id: string): string {
  const family = modelFamily(id);
  const wireName: WireName =
    family?.maker === "anthropic" ? "anthropic" : family?.maker === "openai" ? "responses" : "chat";
  const servers: Partial<Record<string, Sample>> = { google: samples.chat[3], deepseek: samples.chat[4] };
  const baseUrl = servers[family?.maker ?? ""]?.baseUrl ?? "http://server.test/v1";
  const context = { cache: createJsonCache(), baseUrl, fields: requestFields(new Set()) };
  const body: Record<string, unknown> = JSON.parse(
    wires[wireName].writeBody({ id, provider: "test" }, asking(), { thinkingLevel: "off" }, context),
  );
  const { thinking, output_config, reasoning, reasoning_effort } = body;
  const said = { thinking, output_config, reasoning, reasoning_effort };
  const json = JSON.stringify(said);
  return json === "{}" ? "nothing" : `\`${json.slice(1, -1)}\``;
}

function familyTable(): string {
  const rows = families.map((id) => {
    const levels = modelFamily(id)?.levels;
    return [`\`${id}\``, levels?.join(", ") ?? "unknown: all are offered", leastOf(id)];
  });
  return table([["such as", "levels", "sent for the least"], ...rows]);
}

const parts: Readonly<Record<string, () => string>> = {
  families: familyTable,
  anthropic: () => fieldTable("anthropic"),
  responses: () => fieldTable("responses"),
  chat: () => fieldTable("chat"),
};

describe("docs/models.md", () => {
  for (const [name, write] of Object.entries(parts)) {
    it(`says what the code does: ${name} (UPDATE_DOCS=1 writes it)`, async () => {
      const text = await readFile(file, "utf8");
      const [begin, end] = [`<!-- ${name} -->\n`, "<!-- end -->"];
      const start = text.indexOf(begin);
      assert.ok(start >= 0, `there is a part ${name}`);
      const from = start + begin.length;
      const to = text.indexOf(end, from);
      const expected = `\n${write()}\n\n`;
      if (process.env.UPDATE_DOCS === "1") await writeFile(file, text.slice(0, from) + expected + text.slice(to));
      else assert.equal(text.slice(from, to), expected);
    });
  }

  it("describes every field that can be left out", async () => {
    const text = await readFile(file, "utf8");
    const described = new Set([...text.matchAll(/^- `([^`]+)`/gm)].map(([, name]) => name));
    const names = new Set(Object.values(wires).flatMap(({ optionalFields }) => optionalFields.map(({ name }) => name)));
    assert.deepEqual([...described].sort(), [...names].sort());
  });
});
