import fc from "fast-check";

/** A line of an edit: where it is from, its depth and its content. */
interface Line {
  kind: "keep" | "remove" | "insert";
  /** Levels of indentation. */
  depth: number;
  content: string;
  /** A new line that is a changed old one: what it copies from that is damaged with it. */
  isCopy: boolean;
  /** Its number in the file; of a new line undefined. */
  number: number | undefined;
  /** What was meant by the content. */
  meant: string;
  prefix?: string;
  /** What is before the content in place of the file's own indentation. */
  indentation?: string;
  trailing?: string;
  /** It is a line to keep that is written without the blank before it. */
  isUnmarked?: boolean;
}

interface Hunk {
  header?: string;
  lines: Line[];
}

/** A correct edit of a file, and how it is written. */
export interface DamagedEdit {
  before: string;
  after: string;
  file: readonly FileLine[];
  /** The last line has no line end. */
  endsOpen: boolean;
  unit: string;
  /** The unit that the lines of the edit are indented by, where it is another. */
  writtenUnit?: string;
  hunks: Hunk[];
  /** What is between the hunks of a patch. */
  separator: string[];
  wrap(patch: string): string;
  hasEnd: boolean;
  escapesLineEnds: boolean;
}

type Damage = (edit: DamagedEdit, seed: number) => DamagedEdit;

const words = ["alpha", "beta", "gamma", "delta", "value", "item", "total", "name"];
const word = fc.constantFrom(...words);
const content = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(word, word, fc.nat(40)).map(([one, other, n]) => `const ${one}${n} = ${other}(${n});`),
  },
  { weight: 1, arbitrary: fc.constantFrom("}", "});", "{", "return;", "else {", "* a comment", "*/", "", "") },
  { weight: 2, arbitrary: fc.tuple(word, word).map(([one, other]) => `// it’s the “${one}” – or ${other}`) },
  { weight: 2, arbitrary: fc.tuple(word, fc.nat(9)).map(([one, n]) => `${one}  =  "${n}";   // aligned`) },
  { weight: 1, arbitrary: word.map((one) => `it's.split("\\t").${one}("-")`) },
  { weight: 1, arbitrary: word.map((one) => `- ${one}`) },
);

interface FileLine {
  depth: number;
  content: string;
}

/** Nested lines: each at most one level deeper than the one before, and some indented, which shows the file's unit. */
const fileOf = fc
  .array(fc.tuple(content, fc.constantFrom(-1, -1, 0, 0, 0, 1, 1)), { minLength: 6, maxLength: 40 })
  .map((lines): FileLine[] => {
    let depth = 0;
    return lines.map(([text, step], index) => {
      depth = Math.min(4, Math.max(0, depth + (index === 0 ? 0 : step)));
      return text === "" ? { depth: 0, content: "" } : { depth, content: text };
    });
  })
  .filter((lines) => lines.some(({ depth }) => depth === 1));

const change = fc.record({
  at: fc.nat(),
  context: fc.integer({ min: 1, max: 3 }),
  removed: fc.nat(2),
  inserted: fc.array(fc.tuple(content, fc.boolean(), fc.constantFrom(0, 0, 1)), { maxLength: 3 }),
  hasHeader: fc.boolean(),
});

export const randomEdit: fc.Arbitrary<DamagedEdit> = fc
  .record({
    file: fileOf,
    unit: fc.constantFrom("\t", "  ", "    "),
    changes: fc.array(change, { minLength: 1, maxLength: 2 }),
    endsOpen: fc.boolean(),
  })
  .map(({ file, unit, changes, endsOpen }) => {
    const hunks: Hunk[] = [];
    let from = 0;
    for (const each of changes) {
      const hunk = hunkOf(file, each, from);
      if (hunk === undefined) break;
      hunks.push(hunk.hunk);
      from = hunk.end;
    }
    const before = textOf(
      file.map((line) => lineText(line, unit)),
      endsOpen,
    );
    const after = textOf(editedLines(file, hunks, unit), endsOpen);
    return {
      before,
      after,
      file,
      endsOpen,
      unit,
      hunks,
      separator: [],
      wrap: (patch: string) => patch,
      hasEnd: true,
      escapesLineEnds: false,
    };
  })
  .filter(({ before, after, hunks }) => hunks.length > 0 && before !== after && after !== "");

function hunkOf(
  file: readonly FileLine[],
  { at, context, removed, inserted, hasHeader }: typeof change extends fc.Arbitrary<infer T> ? T : never,
  from: number,
): { hunk: Hunk; end: number } | undefined {
  if (from + context + removed >= file.length) return undefined;
  const first = from + context + (at % (file.length - from - context - removed));
  const start = Math.max(from, first - context);
  const end = Math.min(file.length, first + removed + context);
  const old = (index: number, kind: "keep" | "remove"): Line => {
    const { depth, content } = file[index] ?? { depth: 0, content: "" };
    return { kind, depth, content, meant: content, isCopy: true, number: index + 1 };
  };
  const numbers = (one: number, other: number) =>
    Array.from({ length: Math.max(0, other - one) }, (_, index) => one + index);
  const near = file[first] ?? { depth: 0, content: "" };
  const base = near.content === "" ? 0 : near.depth;
  const added = inserted.map(([text, copies, deeper], index): Line => {
    const source = file[first + index];
    const isCopy = copies && index < removed && source !== undefined && /[a-z]+/.test(source.content);
    if (!isCopy)
      return {
        kind: "insert",
        depth: text === "" ? 0 : base + deeper,
        content: text,
        meant: text,
        isCopy: false,
        number: undefined,
      };
    const changed = source.content.replace(/[a-z]{3,}(?![a-z])/, "renamed");
    return { kind: "insert", depth: source.depth, content: changed, meant: changed, isCopy: true, number: undefined };
  });
  if (removed === 0 && added.length === 0) return undefined;
  const lines = [
    ...numbers(start, first).map((index) => old(index, "keep")),
    ...numbers(first, first + removed).map((index) => old(index, "remove")),
    ...added,
    ...numbers(first + removed, end).map((index) => old(index, "keep")),
  ];
  const depth = file[start]?.depth ?? 0;
  const outer = file.slice(0, start).findLast((line) => line.content !== "" && line.depth < depth);
  return { hunk: { lines, ...(hasHeader && outer !== undefined && { header: outer.content }) }, end };
}

/** The file with the hunks; `written`: with the new lines of these as they are written. */
function editedLines(
  file: readonly FileLine[],
  hunks: readonly Hunk[],
  unit: string,
  written: readonly Hunk[] = [],
): string[] {
  const result: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const { lines } = hunk;
    const isWritten = written.includes(hunk);
    const first = lines.find(({ number }) => number !== undefined)?.number ?? 1;
    for (; at < first - 1; at++) result.push(lineText(file[at], unit));
    for (const line of lines) {
      if (line.kind === "insert") {
        const { depth, meant } = line;
        const written = writtenLine({ ...line, content: meant }, unit);
        result.push(isWritten ? written : lineText({ depth, content: meant }, unit));
      } else if (line.kind === "keep") result.push(lineText(file[at], unit));
      if (line.kind !== "insert") at++;
    }
  }
  for (; at < file.length; at++) result.push(lineText(file[at], unit));
  return result;
}

function lineText(line: FileLine | undefined, unit: string): string {
  if (line === undefined || line.content === "") return "";
  return unit.repeat(line.depth) + (line.content.startsWith("*") ? " " : "") + line.content;
}

function textOf(lines: readonly string[], endsOpen: boolean): string {
  return lines.join("\n") + (endsOpen || lines.length === 0 ? "" : "\n");
}

function ownIndentation({ depth, content }: Line, unit: string): string {
  return content === "" ? "" : unit.repeat(depth);
}

function indentationOf(line: Line, unit: string): string {
  return line.indentation ?? ownIndentation(line, unit);
}

function writtenLine(line: Line, unit: string): string {
  const { prefix = "", content, trailing = "" } = line;
  return prefix + indentationOf(line, unit) + (content.startsWith("*") ? " " : "") + content + trailing;
}

/**
 * The texts that an edit may lead to: what was meant, and where the lines that it takes from the file are indented as the
 * file has them, new lines that are indented as they are written. Nothing shows there that they were meant otherwise.
 */
export function outcomes(edit: DamagedEdit): string[] {
  const { file, hunks, unit, after } = edit;
  const isOwn = (line: Line) => line.kind === "insert" || indentationOf(line, unit) === ownIndentation(line, unit);
  let asWritten: Hunk[][] = [[]];
  for (const hunk of hunks) {
    if (hunk.lines.every(isOwn)) asWritten = asWritten.flatMap((others) => [others, [...others, hunk]]);
  }
  return [after, ...asWritten.map((those) => textOf(editedLines(file, hunks, unit, those), edit.endsOpen))];
}

/** The same for replacements, whose old text may also be in one place just as it is written: that is replaced literally. */
export function replacementOutcomes(edit: DamagedEdit): string[] {
  const literal = writtenEdit(edit).reduce<string | undefined>((text, { oldText, newText }) => {
    const [head, tail, ...more] = text?.split(oldText) ?? [];
    return tail === undefined || more.length > 0 ? undefined : head + newText + tail;
  }, edit.before);
  return [...outcomes(edit), ...(literal === undefined ? [] : [literal])];
}

const marks = { keep: " ", remove: "-", insert: "+" };

export function writtenPatch({ hunks, unit, separator, wrap, hasEnd }: DamagedEdit): string {
  const body = hunks.flatMap(({ header, lines }, index) => [
    ...(index === 0 ? [] : separator),
    header === undefined ? "@@" : `@@ ${header}`,
    ...lines.map((line) => (line.isUnmarked ? "" : marks[line.kind]) + writtenLine(line, unit)),
  ]);
  return wrap(["*** Begin Patch", "*** Update File: a.ts", ...body, ...(hasEnd ? ["*** End Patch"] : [])].join("\n"));
}

export function writtenEdit({ hunks, unit, escapesLineEnds }: DamagedEdit): { oldText: string; newText: string }[] {
  const join = (lines: readonly Line[]) =>
    lines.map((line) => writtenLine(line, unit)).join(escapesLineEnds ? "\\n" : "\n");
  return hunks.map(({ lines }) => ({
    oldText: join(lines.filter(({ kind }) => kind !== "insert")),
    newText: join(lines.filter(({ kind }) => kind !== "remove")),
  }));
}

/** Any of the damages together, in a fixed order: each as often as not. */
export function damages(all: Readonly<Record<string, Damage>>): fc.Arbitrary<(edit: DamagedEdit) => DamagedEdit> {
  const list = Object.values(all);
  return fc.array(fc.tuple(fc.nat(list.length - 1), fc.nat()), { maxLength: 3 }).map((chosen) => (edit) => {
    const once = new Map(chosen);
    return [...once]
      .sort(([one], [other]) => one - other)
      .reduce((result, [index, seed]) => list[index]?.(result, seed) ?? result, edit);
  });
}

function everyLine(change: (line: Line, edit: DamagedEdit, index: number, seed: number) => Line): Damage {
  return (edit, seed) => ({
    ...edit,
    hunks: edit.hunks.map((hunk) => ({
      ...hunk,
      lines: hunk.lines.map((line, index) => change(line, edit, index, seed)),
    })),
  });
}

/** Only what was in the file is copied wrong; what is new is meant as it is written. */
function copiedContent(change: (content: string, seed: number) => string): Damage {
  return everyLine((line, _, __, seed) => (line.isCopy ? { ...line, content: change(line.content, seed) } : line));
}

const indentedOtherwise: Damage = (edit, seed) => {
  const unit = (edit.unit === "\t" ? ["  ", "    "][seed % 2] : "\t") ?? "";
  const indented = everyLine((line) => ({ ...line, indentation: ownIndentation(line, unit) }))(edit, seed);
  return { ...indented, writtenUnit: unit };
};

const oneLevelOff: Damage = (edit, seed) => {
  const { unit, writtenUnit = unit } = edit;
  const isDeeper = seed % 2 === 0;
  const isInside = edit.hunks.every(({ lines }) => lines.every(({ depth, content }) => content === "" || depth > 0));
  if (!isDeeper && !isInside) return edit;
  return everyLine((line) => {
    if (line.content === "") return line;
    const indentation = indentationOf(line, unit);
    return { ...line, indentation: isDeeper ? writtenUnit + indentation : indentation.slice(writtenUnit.length) };
  })(edit, seed);
};

const plainCharacters = copiedContent((content) => content.replace(/[“”]/g, '"').replace(/’/g, "'").replace(/–/g, "-"));
const typographicCharacters = copiedContent((content) => content.replace(/it's/g, "it’s"));

const otherBlanks = copiedContent((content, seed) =>
  seed % 2 === 0 ? content.replace(/ {2,}/g, " ") : content.replace(/ {2,}/g, "    "),
);

const trailingBlanks = everyLine((line, _, index, seed) =>
  line.kind === "insert" || (index + seed) % 2 === 0 ? line : { ...line, trailing: " ".repeat(1 + (seed % 3)) },
);

const lineNumbers = everyLine((line) => (line.number === undefined ? line : { ...line, prefix: `${line.number}\t` }));

const escapedTabs: Damage = (edit, seed) =>
  everyLine((line) => {
    return { ...line, indentation: indentationOf(line, edit.unit).replaceAll("\t", "\\t") };
  })(edit, seed);

const lostMarks: Damage = everyLine((line, edit, index, seed) => {
  const text = writtenLine(line, edit.unit);
  if (line.kind !== "keep" || /^(?:[-+]|@@|\*\*\*)/.test(text)) return line;
  return seed % 3 === 0 && index % 2 === 0 ? line : { ...line, isUnmarked: true };
});

const wrapped: Damage = (edit, seed) => ({
  ...edit,
  wrap: (patch) =>
    [`\`\`\`diff\n${patch}\n\`\`\``, `apply_patch <<'EOF'\n${patch}\nEOF`, `\`\`\`\n${patch}\n\`\`\`\n`][seed % 3] ??
    patch,
});

export const editDamages = {
  "another kind of indentation": indentedOtherwise,
  "one level more or less": oneLevelOff,
  "other blanks inside lines": otherBlanks,
  "trailing blanks": trailingBlanks,
  "line numbers": lineNumbers,
  "escaped line ends": (edit: DamagedEdit) => ({ ...edit, escapesLineEnds: true }),
} satisfies Record<string, Damage>;

export const patchDamages = {
  "another kind of indentation": indentedOtherwise,
  "one level more or less": oneLevelOff,
  "plain quotes and dashes": plainCharacters,
  "typographic quotes": typographicCharacters,
  "other blanks inside lines": otherBlanks,
  "trailing blanks": trailingBlanks,
  "escaped tabs": escapedTabs,
  "line numbers": lineNumbers,
  "lines to keep without a blank": lostMarks,
  "empty sections": (edit: DamagedEdit, seed: number) => ({
    ...edit,
    separator: [["@@"], ["", "@@", ""], ["@@", "@@", ""]][seed % 3] ?? [],
  }),
  "blank lines between sections": (edit: DamagedEdit) => ({ ...edit, separator: [""] }),
  "no end": (edit: DamagedEdit) => ({ ...edit, hasEnd: false }),
  "a code fence or a heredoc": wrapped,
} satisfies Record<string, Damage>;
