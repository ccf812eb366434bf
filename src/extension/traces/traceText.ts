import { t } from "@vscode/l10n";
import type { Span } from "./attributes.ts";

const deepestIndent = 40;

/** A trace as a person reads it: what ran below what, when it began, how long it took and what it used. */
export function traceText(spans: readonly Span[], file: string): string {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const below = new Map<string | undefined, Span[]>();
  for (const span of [...spans].sort(byStart)) {
    // What was cut off has no parent in the file; it is shown at the top.
    const parent = span.parentSpanId !== undefined && ids.has(span.parentSpanId) ? span.parentSpanId : undefined;
    const list = below.get(parent);
    if (list === undefined) below.set(parent, [span]);
    else list.push(span);
  }
  const start = Math.min(...spans.map(({ startTime }) => startTime));
  const lines: string[] = [];
  const add = (list: readonly Span[], depth: number): void => {
    for (const span of list) {
      lines.push(line(span, depth, start));
      if (depth < deepestIndent) add(below.get(span.spanId) ?? [], depth + 1);
    }
  };
  add(below.get(undefined) ?? [], 0);
  const head = [
    t("Trace of the run that began {0}", new Date(spans.length === 0 ? 0 : start).toISOString()),
    t("Spans: {0}", file),
    "",
    `${t("start").padStart(10)} ${t("duration").padStart(10)}`,
  ];
  return `${[...head, ...lines].join("\n")}\n`;
}

function byStart(a: Span, b: Span): number {
  return a.startTime - b.startTime || a.endTime - b.endTime;
}

function line(span: Span, depth: number, start: number): string {
  const times = `${seconds(span.startTime - start).padStart(10)} ${seconds(span.endTime - span.startTime).padStart(10)}`;
  const facts = factsOf(span);
  return `${times}  ${"  ".repeat(depth)}${printable(span.name)}${facts === "" ? "" : `  — ${facts}`}`;
}

function factsOf({ attributes, status }: Span): string {
  const input = attributes["gen_ai.usage.input_tokens"];
  const output = attributes["gen_ai.usage.output_tokens"];
  const cached = attributes["gen_ai.usage.cache_read.input_tokens"];
  const before = attributes["arbor.compaction.tokens_before"];
  const cost = attributes["arbor.usage.cost_usd_with_agents"];
  return [
    input === undefined ? "" : `in ${input}${cached === undefined ? "" : ` (${cached} cached)`}, out ${output ?? 0}`,
    typeof cost === "number" && cost > 0 ? `$${cost.toFixed(4)}` : "",
    before === undefined ? "" : `compaction ${before} → ${attributes["arbor.compaction.tokens_after"] ?? "?"}`,
    attributes["arbor.run.end_reason"] === undefined ? "" : String(attributes["arbor.run.end_reason"]),
    status === "error" ? `failed: ${printable(String(attributes["error.type"] ?? "unknown"))}` : "",
  ]
    .filter((fact) => fact !== "")
    .join(" · ");
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(3)} s`;
}

/** Names come from models: a line stays a line. */
function printable(text: string): string {
  return text.replace(/[\p{C}\u2028\u2029]/gu, "?").slice(0, 200);
}
