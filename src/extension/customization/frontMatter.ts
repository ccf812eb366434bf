import { t } from "@vscode/l10n";
import { isMap, isNode, isSeq, type Node, type Pair, parseDocument } from "yaml";

/** A part of a text, in UTF-16 units from its beginning. */
export interface TextSpan {
  start: number;
  end: number;
}

/** Something in a custom file that the user should look at. */
export interface Mistake {
  span: TextSpan;
  /** "error": the file is not used. */
  severity: "error" | "warning" | "information";
  message: string;
  /** What to write in its place, where that is plain. */
  fix?: { title: string; span: TextSpan; text: string };
}

export interface Entry {
  key: string;
  keySpan: TextSpan;
  value: unknown;
  valueSpan: TextSpan;
  /** The elements of a list. */
  items: readonly { value: unknown; span: TextSpan }[];
  /** Why it is no YAML: its value is then the text as it is written. */
  broken?: string;
}

/** What is above a Markdown file's text. */
export interface FrontMatter {
  /** Each key once, in the order of the file. */
  entries: readonly Entry[];
  mistakes: readonly Mistake[];
  /** What is below. */
  body: string;
}

interface Line extends TextSpan {
  text: string;
}

const delimiter = /^---[ \t]*$/;
const topLevel = /^(["']?)([A-Za-z_][\w.-]*)\1[ \t]*:(?=[ \t]|$)/;
/** Belongs to the entry above it. */
const continued = /^(?:[ \t]|-(?:[ \t]|$)|[\]}]|#|$)/;

/**
 * Takes a Markdown file apart, whose lines may end in any way. Each entry is parsed on its own, so that one that is no
 * YAML takes nothing from the others: tools that read these files differ in what they let pass. Undefined where there
 * is no front matter.
 */
export function parseFrontMatter(text: string): FrontMatter | undefined {
  const lines = linesOf(text);
  if (lines[0] === undefined || !delimiter.test(lines[0].text)) return undefined;
  const end = lines.findIndex((line, index) => index > 0 && delimiter.test(line.text));
  if (end < 0) {
    const message = t("The front matter has no end: a line of three hyphens is missing.");
    return { entries: [], mistakes: [{ span: lines[0], severity: "error", message }], body: "" };
  }
  const entries = new Map<string, Entry>();
  const mistakes: Mistake[] = [];
  for (const chunk of chunksOf(lines.slice(1, end), mistakes)) {
    const entry = parseEntry(text, chunk);
    if (!entries.has(entry.key)) entries.set(entry.key, entry);
    else {
      const message = t("{0} is there twice. The first one counts.", entry.key);
      mistakes.push({ span: entry.keySpan, severity: "warning", message });
    }
  }
  return { entries: [...entries.values()], mistakes, body: text.slice(lines[end + 1]?.start ?? text.length) };
}

function linesOf(text: string): Line[] {
  return [...text.matchAll(/([^\r\n]*)(?:\r\n|\r|\n|$)/g)].map((match) => {
    const [, line = ""] = match;
    return { text: line, start: match.index, end: match.index + line.length };
  });
}

/** The lines of each entry. */
function chunksOf(lines: readonly Line[], mistakes: Mistake[]): Line[][] {
  const chunks: Line[][] = [];
  for (const line of lines) {
    if (topLevel.test(line.text)) chunks.push([line]);
    else if (continued.test(line.text)) chunks.at(-1)?.push(line);
    else {
      const message = t("This line is not used: it is neither a field nor a part of one.");
      mistakes.push({ span: line, severity: "warning", message });
    }
  }
  return chunks;
}

function parseEntry(text: string, lines: readonly Line[]): Entry {
  const [first = { text: "", start: 0, end: 0 }] = lines;
  const [written = "", quote = "", key = ""] = topLevel.exec(first.text) ?? [];
  const keyStart = first.start + quote.length;
  const source = text.slice(first.start, lines.at(-1)?.end ?? first.end);
  const parts = { key, keySpan: { start: keyStart, end: keyStart + key.length } };
  // A carriage return alone ends no line of YAML.
  const parsed = parseYaml(source.replace(/\r(?!\n)/g, "\n"));
  if ("broken" in parsed) {
    const value = source.slice(written.length);
    const start = first.start + written.length + (value.length - value.trimStart().length);
    const valueSpan = { start, end: start + value.trim().length };
    return { ...parts, value: value.trim().replace(/\s*[\r\n]\s*/g, " "), valueSpan, items: [], broken: parsed.broken };
  }
  const spanOf = (node: Node | undefined): TextSpan => {
    const [start = written.length, end = written.length] = node?.range ?? [];
    return { start: first.start + start, end: first.start + end };
  };
  const { node, value, itemNodes } = parsed;
  const items = itemNodes.map((item, index) => ({
    value: Array.isArray(value) ? value[index] : undefined,
    span: spanOf(item),
  }));
  return { ...parts, value, valueSpan: spanOf(node), items };
}

type ParsedYaml = { node: Node | undefined; value: unknown; itemNodes: Node[] } | { broken: string };

function parseYaml(source: string): ParsedYaml {
  const document = parseDocument(source, { logLevel: "silent", prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) return { broken: error.message };
  const { contents } = document;
  const [pair]: (Pair | undefined)[] = isMap(contents) ? contents.items : [];
  if (pair === undefined) return { broken: "no value" };
  const node = isNode(pair.value) ? pair.value : undefined;
  try {
    const value: unknown = node?.toJS(document, { maxAliasCount: 10 });
    return { node, value, itemNodes: isSeq(node) ? node.items.filter(isNode) : [] };
  } catch (cause) {
    return { broken: cause instanceof Error ? cause.message : String(cause) };
  }
}

interface Position {
  line: number;
  character: number;
}

/** As editors count: from 0, in lines and UTF-16 units. */
export interface PositionRange {
  start: Position;
  end: Position;
}

export function positionsOf(text: string, { start, end }: TextSpan): PositionRange {
  return { start: positionAt(text, start), end: positionAt(text, end) };
}

function positionAt(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}
