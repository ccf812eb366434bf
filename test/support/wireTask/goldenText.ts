import type { SentRequest } from "./chatOverWire.ts";
import { type Block, readRequest, splitBody, type WireRequest } from "./wireRequest.ts";

/**
 * Requests as people read them: of the first of each conversation its head, and of each what it adds to the one before.
 * What other golden files show, the system prompts and the tools, is named here and not repeated.
 */
export function goldenText(sent: readonly SentRequest[]): string {
  const latest = new Map<string, { number: number; items: number; prefix: string; options: string }>();
  return sent
    .map((request, at) => {
      const read = readRequest(request);
      const { prefix } = splitBody(request);
      const head = JSON.stringify([read.tools, read.system]);
      const before = latest.get(head);
      const goesOn = before !== undefined && prefix.startsWith(before.prefix);
      const options = optionsText(read);
      latest.set(head, { number: at + 1, items: read.conversation.length, prefix, options });
      const lines = [`## ${at + 1}: ${read.agent}, after ${request.atMs / 1_000} s`];
      if (before === undefined) lines.push(...headLines(read));
      else if (goesOn) lines.push(`request ${before.number} up to its item ${before.items}, and then:`);
      else lines.push(`tools and system prompt of request ${before.number}, and then:`);
      lines.push(...read.conversation.slice(goesOn ? before.items : 0).map(itemText));
      lines.push(...markLines(read));
      if (before?.options !== options) lines.push(`options: ${options}`);
      return `${lines.join("\n")}\n`;
    })
    .join("\n");
}

function headLines({ tools, system, wire }: WireRequest): string[] {
  const frame = system.map(({ value }) => JSON.stringify(value, (name, part) => shortened(name, part)));
  return [
    "tools:",
    ...tools.map(({ value, mark }) => `  ${JSON.stringify(value, shortened)}${mark === undefined ? "" : " (marked)"}`),
    `system (${wire}): ${frame.join()}${system[0]?.mark === undefined ? "" : " (marked)"}`,
  ];
}

/** Descriptions, schemas and prompts are in golden files of their own. */
function shortened(name: string, value: unknown): unknown {
  return ["description", "input_schema", "parameters", "text", "content"].includes(name) ? "…" : value;
}

const maxText = 300;

function itemText({ value }: Block): string {
  const text = JSON.stringify(value, (_, part) =>
    typeof part === "string" && part.length > maxText
      ? `${part.slice(0, maxText)}… and ${part.length - maxText} more`
      : part,
  );
  return `- ${text}`;
}

/** Where items are marked, counted from the end. */
function markLines({ conversation }: WireRequest): string[] {
  const marks = conversation.flatMap(({ mark }, at) =>
    mark === undefined ? [] : [`item ${at + 1} of ${conversation.length} (${mark.ttl ?? "5m"})`],
  );
  return marks.length === 0 ? [] : [`marked: ${marks.join(", ")}`];
}

function optionsText({ options }: WireRequest): string {
  return JSON.stringify(options);
}
