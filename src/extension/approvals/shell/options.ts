import type { ShellWord } from "./words.ts";

/** A file or folder that a command reads. */
export interface ReadPath {
  word: ShellWord;
  /** What is in it is not printed. */
  namesOnly: boolean;
  /** With all that is below it. */
  below?: Below;
}

export interface Below {
  hidden: boolean;
  followsLinks: boolean;
}

/**
 * What a listed command does: it only reads (`reads` says what); it may do more, which a rule can allow when it names
 * the whole command (`unknown`); or it writes, runs or fetches by an option, which no rule covers (`acts`).
 */
export type Assessment =
  | { kind: "reads"; reads: ReadPath[]; usesGit?: boolean }
  | { kind: "unknown" | "acts"; reason: string };

export const unknown = (reason: string): Assessment => ({ kind: "unknown", reason });
export const acts = (reason: string): Assessment => ({ kind: "acts", reason });

interface Option {
  value: "none" | "required" | "optional";
  isFile?: boolean;
  acts?: boolean;
}

const parsedTables = new Map<string, ReadonlyMap<string, Option>>();

function optionsOf(list: string): ReadonlyMap<string, Option> {
  const known = parsedTables.get(list);
  if (known !== undefined) return known;
  const options = new Map<string, Option>();
  for (const entry of list.split(" ").filter((part) => part !== "")) {
    const [, bang, name = "", end] = /^(!?)(-.*?)(:|<|=\??|\?)?$/.exec(entry) ?? [];
    const value = end === undefined ? "none" : end.endsWith("?") ? "optional" : "required";
    const option: Option = { value, ...(end === "<" && { isFile: true }), ...(bang === "!" && { acts: true }) };
    const isLetters = !name.startsWith("--") && end === undefined && bang !== "!";
    for (const key of isLetters ? [...name.slice(1)].map((letter) => `-${letter}`) : [name]) options.set(key, option);
  }
  parsedTables.set(list, options);
  return options;
}

export interface ParsedOptions {
  /** As the table names them, in order, with their values. */
  options: { name: string; value?: ShellWord; isFile?: boolean }[];
  operands: ShellWord[];
}

/** Reads options as getopt does. An `Assessment` says why they can't be judged. */
export function readOptions(list: string, args: readonly ShellWord[]): ParsedOptions | Assessment {
  const table = optionsOf(list);
  const parsed: ParsedOptions = { options: [], operands: [] };
  const hasActs = [...table.values()].some((option) => option.acts);
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    if (word.isGlob && hasActs && /^[*?[]/.test(word.text)) {
      return unknown("A file's name could be taken for an option.");
    }
    if (word.text === "--") {
      parsed.operands.push(...args.slice(at + 1));
      break;
    }
    if (!word.text.startsWith("-") || word.text === "-") {
      parsed.operands.push(word);
      continue;
    }
    if (word.isGlob && word.source.startsWith("-") && !/^-+[\w-]*=?['"]?[^*?[]*['"]/.test(word.source)) {
      return unknown("Which option it is depends on the names of files.");
    }
    const outcome = word.text.startsWith("--")
      ? readLong(table, word, args[at + 1])
      : readLetters(table, word, args[at + 1]);
    if ("kind" in outcome) return outcome;
    parsed.options.push(...outcome.options);
    if (outcome.usedNext) at++;
  }
  return parsed;
}

type Read = { options: ParsedOptions["options"]; usedNext: boolean };

function readLong(table: ReadonlyMap<string, Option>, word: ShellWord, next: ShellWord | undefined): Read | Assessment {
  const equals = word.text.indexOf("=");
  const name = equals < 0 ? word.text : word.text.slice(0, equals);
  const option = table.get(name);
  if (option === undefined) {
    // An option may be shortened: what begins like one that acts may be that one.
    const isLikeOne = [...table].some(
      ([key, { acts: does }]) => does === true && key.startsWith(name) && name.length > 2,
    );
    return isLikeOne
      ? acts(`${name} writes or runs something.`)
      : unknown(`The option ${name} is not known to be harmless.`);
  }
  if (option.acts) return acts(`${name} writes or runs something.`);
  if (equals >= 0) {
    if (option.value === "none") return unknown(`${name} takes no value.`);
    const rest = word.text.slice(equals + 1);
    return { options: [withValue(name, option, { ...word, text: rest, isTilde: false })], usedNext: false };
  }
  if (option.value !== "required") return { options: [{ name }], usedNext: false };
  return next === undefined
    ? unknown(`${name} has no value.`)
    : { options: [withValue(name, option, next)], usedNext: true };
}

function readLetters(
  table: ReadonlyMap<string, Option>,
  word: ShellWord,
  next: ShellWord | undefined,
): Read | Assessment {
  const whole = table.get(word.text);
  if (whole?.acts && word.text.length > 2) return acts(`${word.text} writes or runs something.`);
  const options: ParsedOptions["options"] = [];
  for (let at = 1; at < word.text.length; at++) {
    const name = `-${word.text[at]}`;
    const option = table.get(name);
    if (option === undefined) return unknown(`The option ${name} is not known to be harmless.`);
    if (option.acts) return acts(`${name} writes or runs something.`);
    if (option.value === "none") {
      options.push({ name });
      continue;
    }
    const rest = word.text.slice(at + 1);
    if (rest !== "" || option.value === "optional") {
      return {
        options: [...options, withValue(name, option, { ...word, text: rest, isTilde: false })],
        usedNext: false,
      };
    }
    if (next === undefined) return unknown(`${name} has no value.`);
    return { options: [...options, withValue(name, option, next)], usedNext: true };
  }
  return { options, usedNext: false };
}

function withValue(name: string, { isFile }: Option, value: ShellWord): ParsedOptions["options"][number] {
  return { name, value, ...(isFile && { isFile }) };
}
