/** Lines `start` to `end` (from 1, both included) become `lines`. `end` below `start` inserts ahead of `start`. */
export interface LineChange {
  start: number;
  end: number;
  lines: string[];
}

/** One entry of an `edit_file` call. */
export interface Edit {
  old_text: string;
  new_text: string;
  replace_all?: boolean;
}

/**
 * Changes of lines as edits of text: each takes in as many neighbouring lines as make its old text occur only once in
 * the file, and changes that come to share lines become one edit.
 */
export function editsFor(lines: readonly string[], changes: readonly LineChange[]): Edit[] {
  let spans = changes.toSorted((a, b) => a.start - b.start).map((change) => grow(lines, toSpan(lines, change)));
  for (let merged = mergeTouching(spans); merged.length < spans.length; merged = mergeTouching(spans)) {
    spans = merged.map((span) => grow(lines, span));
  }
  const edits = spans.map((span) => editOf(lines, span)).filter((edit) => edit.old_text !== edit.new_text);
  return canFollowEachOther(lines, edits)
    ? edits
    : [editOf(lines, { start: 1, end: lines.length, changes: [...changes] })];
}

function editOf(lines: readonly string[], { start, end, changes }: Span): Edit {
  const text = lines.slice(start - 1, end).join("\n");
  return { old_text: text, new_text: applyTo(lines, start, end, changes).join("\n") };
}

/** Edits are made one after the other, and what one brings in must not be taken for what the next one looks for. */
function canFollowEachOther(lines: readonly string[], edits: readonly Edit[]): boolean {
  let text = lines.join("\n");
  for (const { old_text, new_text } of edits) {
    const at = text.indexOf(old_text);
    if (at < 0 || at !== text.lastIndexOf(old_text)) return false;
    text = text.slice(0, at) + new_text + text.slice(at + old_text.length);
  }
  return true;
}

interface Span {
  start: number;
  end: number;
  changes: LineChange[];
}

/** Neither an insertion nor a removal can do without a line that stays: its line end goes or comes with them. */
function toSpan(lines: readonly string[], change: LineChange): Span {
  const start = Math.min(change.start, lines.length);
  const end = Math.max(start, change.end);
  if (change.lines.length > 0) return { start, end, changes: [change] };
  const hasNext = end < lines.length;
  return { start: hasNext ? start : Math.max(1, start - 1), end: hasNext ? end + 1 : end, changes: [change] };
}

function grow(lines: readonly string[], span: Span): Span {
  const whole = lines.join("\n");
  let { start, end } = span;
  for (;;) {
    const text = lines.slice(start - 1, end).join("\n");
    const isUnique = text.trim() !== "" && whole.indexOf(text) === whole.lastIndexOf(text);
    if (isUnique || (start === 1 && end === lines.length)) return { ...span, start, end };
    if (start > 1) start--;
    if (end < lines.length) end++;
  }
}

function mergeTouching(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last === undefined || span.start > last.end) merged.push(span);
    else
      merged[merged.length - 1] = {
        start: last.start,
        end: Math.max(last.end, span.end),
        changes: [...last.changes, ...span.changes],
      };
  }
  return merged;
}

function applyTo(lines: readonly string[], start: number, end: number, changes: readonly LineChange[]): string[] {
  const result: string[] = [];
  const inOrder = changes.toSorted((a, b) => a.start - b.start);
  let next = start;
  for (const change of inOrder) {
    result.push(...lines.slice(next - 1, change.start - 1), ...change.lines);
    next = Math.max(change.start, change.end + 1);
  }
  return [...result, ...lines.slice(next - 1, end)];
}
