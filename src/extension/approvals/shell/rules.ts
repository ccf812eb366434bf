import { createContext, Script } from "node:vm";
import { escapeRegex } from "../../common/escapeRegex.ts";
import type { SimpleCommand } from "./parseCommand.ts";

/** A rule matches one simple command: `npm test`, `git diff *` or `/regex/flags`. */
interface WordRule {
  kind: "words";
  source: string;
  /** A string is matched literally; a pattern was written with `*` for any characters. */
  words: (string | RegExp)[];
  /** Ends in a `*` of its own: any further words. */
  isOpen: boolean;
  /** Without any wildcard. */
  isExact: boolean;
}
interface PatternRule {
  kind: "pattern";
  source: string;
  pattern: RegExp;
}
export type CommandRule = WordRule | PatternRule;

/** The rules that can be used, and those that can't: they do not compile, or match nothing at all. */
export function parseRules(sources: readonly string[]): { rules: CommandRule[]; invalid: string[] } {
  const rules: CommandRule[] = [];
  const invalid: string[] = [];
  for (const source of sources) {
    const rule = parseRule(source);
    if (rule === undefined) invalid.push(source);
    else rules.push(rule);
  }
  return { rules, invalid };
}

const maxRuleLength = 2_000;

function parseRule(source: string): CommandRule | undefined {
  if (source.length > maxRuleLength || source.includes("\0")) return undefined;
  const regex = /^\/(.*)\/([dgimsuvy]*)$/s.exec(source);
  if (regex !== null) return parsePattern(source, regex[1] ?? "", regex[2] ?? "");
  const words = splitRule(source);
  const [first] = words ?? [];
  if (words === undefined || first === undefined || first === "" || typeof first !== "string") return undefined;
  const last = words.at(-1);
  const isOpen = last instanceof RegExp && last.source === anyText.source;
  return {
    ...{ kind: "words", source, isOpen, words: isOpen ? words.slice(0, -1) : words },
    isExact: words.every((word) => typeof word === "string"),
  };
}

/** One that matches the empty text says nothing about a command; `/.*\/` is meant to match all. */
function parsePattern(source: string, body: string, flags: string): PatternRule | undefined {
  try {
    const pattern = new RegExp(body, flags.replace(/[gy]/g, ""));
    if (body !== ".*" && body !== "^.*$" && matches(pattern, "") !== false) return undefined;
    return { kind: "pattern", source, pattern };
  } catch {
    return undefined;
  }
}

const anyText = /^.*$/s;

/** Words of a rule, with quotes read as a shell reads them; undefined where a quote has no end. */
function splitRule(source: string): (string | RegExp)[] | undefined {
  const words: (string | RegExp)[] = [];
  for (const [raw] of source.matchAll(/(?:\\.|'[^']*'|"(?:[^"\\]|\\.)*"|[^\s'"\\])+|['"\\]/gs)) {
    if (/^['"\\]$/.test(raw)) return undefined;
    let [text, pattern, isPattern] = ["", "", false];
    for (const [piece] of raw.matchAll(/\\.|'[^']*'|"(?:[^"\\]|\\.)*"|\*+|[^'"\\*]+/gs)) {
      if (piece.startsWith("*")) {
        isPattern = true;
        pattern += ".*";
        continue;
      }
      const plain = unquote(piece);
      text += plain;
      pattern += escapeRegex(plain);
    }
    words.push(isPattern ? new RegExp(`^${pattern}$`, "s") : text);
  }
  return words;
}

function unquote(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1);
  if (piece.startsWith('"')) return piece.slice(1, -1).replace(/\\([$`"\\])/g, "$1");
  return piece.startsWith("\\") ? piece.slice(1) : piece;
}

/** Folders of the system's own programs: a program in one is meant by its plain name, too. */
const systemFolder = /^\/(?:usr\/(?:local\/)?)?s?bin\/|^\/opt\/homebrew\/bin\//;

/** The program's name as rules and tables know it; a path of any other folder stays a path. */
export function programName(word: string): string {
  const name = word.replace(systemFolder, "");
  return name.includes("/") ? name.replace(/^(?:\.\/+)+/, "./").replace(/^\.\/(?=.*\/)/, "") : name;
}

export interface Match {
  rule: CommandRule;
  /** The rule is a pattern that took too long: it may match. */
  isTimedOut?: boolean;
}

/** The first rule that allows the command as it is. */
export function findAllowing(rules: readonly CommandRule[], command: SimpleCommand): CommandRule | undefined {
  const words = command.words.map(({ text }) => text);
  return rules.find((rule) =>
    rule.kind === "words" ? matchesWords(rule, words) : matches(rule.pattern, command.text) === true,
  );
}

/**
 * The first rule that speaks against the command, or against one that it runs: of `sudo rm -rf /`, also `rm -rf /`. A
 * pattern is tried on the text as written and on the words without their quotes.
 */
export function findOpposing(rules: readonly CommandRule[], command: SimpleCommand): Match | undefined {
  const words = command.words.map(({ text }) => text);
  for (const rule of rules) {
    if (rule.kind === "words") {
      for (let from = 0; from < words.length; from++) {
        const [name = "", ...rest] = words.slice(from);
        if (matchesWords(rule, [name.slice(name.lastIndexOf("/") + 1), ...rest])) return { rule };
        if (matchesWords(rule, [name, ...rest])) return { rule };
      }
      continue;
    }
    for (const text of [command.text, words.join(" ")]) {
      const isMatch = matches(rule.pattern, text);
      if (isMatch !== false) return { rule, ...(isMatch === "timeout" && { isTimedOut: true }) };
    }
  }
  return undefined;
}

function matchesWords({ words, isOpen }: WordRule, [program = "", ...rest]: readonly string[]): boolean {
  const given = [programName(program), ...rest];
  if (isOpen ? given.length < words.length : given.length !== words.length) return false;
  return words.every((word, index) => {
    const text = given[index] ?? "";
    const expected = typeof word === "string" && index === 0 ? programName(word) : word;
    return typeof expected === "string" ? expected === text : expected.test(text);
  });
}

const maxMatchMs = 200;
const test = new Script("pattern.test(text)");
/** Patterns that took too long once. They are not tried again. */
const runaways = new WeakSet<RegExp>();

/** Whether a pattern of the settings matches. One that may never end is stopped after a while. */
export function matches(pattern: RegExp, text: string): boolean | "timeout" {
  if (isQuick(pattern, text)) return pattern.test(text);
  if (runaways.has(pattern)) return "timeout";
  try {
    return test.runInContext(createContext({ pattern, text }), { timeout: maxMatchMs }) === true;
  } catch {
    runaways.add(pattern);
    return "timeout";
  }
}

/** With at most two open repetitions, none of them of a group, and no references back, time grows with the square. */
function isQuick({ source }: RegExp, text: string): boolean {
  const open = source.match(/(?<!\\)(?:[*+]|\{\d*,?\d*\})/g) ?? [];
  return open.length <= 2 && text.length < 2_000 && !/\)(?:[*+?]|\{)|\\[1-9k]/.test(source);
}
