import { judgeGit } from "./git.ts";
import { type Assessment, acts, type Below, type ReadPath, readOptions, unknown } from "./options.ts";
import { type CommandTable, optionTables, versionQuestions } from "./optionTables.ts";
import type { ShellWord } from "./words.ts";

/** Undefined for a command that is not listed. `words` begin with the program's name, without its folder. */
export function assess(name: string, words: readonly ShellWord[]): Assessment | undefined {
  const args = words.slice(1);
  const [only] = args;
  if (args.length === 1 && only !== undefined && versionQuestions[name] !== undefined) {
    if (only.text === "--version" || versionQuestions[name].includes(only.text)) return { kind: "reads", reads: [] };
  }
  if (name === "git") return judgeGit(args);
  if (name === "find") return judgeFind(args);
  if (name === "sed") return judgeSed(args);
  if (name === "command") return judgeCommandBuiltin(args);
  const table = Object.hasOwn(optionTables, name) ? optionTables[name] : undefined;
  return table && judgeByTable(table, args);
}

/** `command -v NAME` looks a program up; without the option it runs it. */
function judgeCommandBuiltin([option, ...names]: readonly ShellWord[]): Assessment {
  if (/^-[vV]$/.test(option?.text ?? "") && names.every(({ text }) => !text.startsWith("-"))) {
    return { kind: "reads", reads: [] };
  }
  return acts("command runs another program.");
}

function judgeByTable(table: CommandTable, args: readonly ShellWord[]): Assessment {
  const { operands: kind = "files", operandPattern, maxOperands, namesOnly = false } = table;
  if (kind === "anything") return { kind: "reads", reads: [] };
  const parsed = readOptions(table.options, args);
  if ("kind" in parsed) return parsed;
  const { options, operands } = parsed;
  if (kind === "none" && operands.length > 0) return unknown("What it is given may be set.");
  if (operandPattern !== undefined && !operands.every(({ text }) => operandPattern.test(text))) {
    return unknown("What it is given is not known to be harmless.");
  }
  if (maxOperands !== undefined && (operands.length > maxOperands || operands.some(({ isGlob }) => isGlob))) {
    return unknown("Another file that it is given is written.");
  }
  const has = (pattern: RegExp | undefined) => pattern !== undefined && options.some(({ name }) => pattern.test(name));
  const reads: ReadPath[] = options.flatMap(({ value, isFile }) =>
    isFile === true && value !== undefined ? [{ word: value, namesOnly: false }] : [],
  );
  if (kind !== "files" && kind !== "pattern") return { kind: "reads", reads };
  const givesPattern = has(/^-(?:e|f|-regexp|-file|-files|-type-list)$/);
  const paths = kind === "pattern" && !givesPattern ? operands.slice(1) : operands;
  const isRecursive = table.recursive === "always" || has(table.recursive);
  const below: Below | undefined = isRecursive
    ? { hidden: table.hiddenWith === undefined || has(table.hiddenWith), followsLinks: has(table.followsLinks) }
    : undefined;
  const listsOnly = namesOnly || has(/^-(?:-files|l|-files-with-matches|c|-count|q|-quiet)$/);
  for (const word of paths)
    reads.push({ word, namesOnly: listsOnly && (namesOnly || kind === "pattern"), ...(below && { below }) });
  if (paths.length === 0 && (below !== undefined || table.listsHere === true)) {
    reads.push({ word: here, namesOnly: listsOnly, ...(below && { below }) });
  }
  return { kind: "reads", reads };
}

/** The folder that a command runs in. */
const here: ShellWord = { text: ".", source: ".", isGlob: false, isTilde: false, glob: "\\." };

function judgeSed(args: readonly ShellWord[]): Assessment {
  const parsed = readOptions(
    "-nErsuz -l: -e: --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --debug --expression= --help --version !-i !-I !--in-place !-f !--file !-w !--follow-symlinks",
    args,
  );
  if ("kind" in parsed) return parsed;
  const scripts = parsed.options.flatMap(({ name, value }) =>
    /^-(?:e|-expression)$/.test(name) && value ? [value] : [],
  );
  const [first, ...rest] = parsed.operands;
  if (scripts.length === 0 && first === undefined) return unknown("sed has no script.");
  const all = scripts.length > 0 || first === undefined ? scripts : [first];
  // A wildcard would make a file's name the script.
  const isPrinting = all.every(({ text, isGlob }) => !isGlob && isPrintingScript(text));
  if (!isPrinting) return acts("The script of sed may write or run something.");
  const files = scripts.length > 0 ? parsed.operands : rest;
  return { kind: "reads", reads: files.map((word) => ({ word, namesOnly: false })) };
}

const sedAddress = /^(?:\d+(?:~\d+)?|\$)/;
const substituteFlags = /^[gpiImM0-9]*/;

/**
 * Whether a script of sed only prints: addresses, and the commands that neither write nor run anything. `w`, `W`, `e`,
 * `r` and the flags `e` and `w` of `s` are none of these, nor is anything that isn't understood.
 */
function isPrintingScript(script: string): boolean {
  let rest = script;
  const skipBlanks = () => {
    rest = rest.replace(/^[ \t\n;]+/, "");
  };
  for (skipBlanks(); rest !== ""; skipBlanks()) {
    const command = afterAddresses(rest);
    const end = command === undefined ? undefined : afterCommand(command);
    if (end === undefined || (end !== "" && !/^[ \t]*[;\n}]/.test(end))) return false;
    rest = end;
  }
  return true;
}

function afterAddresses(text: string): string | undefined {
  const first = afterAddress(text);
  if (first === undefined) return text.replace(/^!\s*/, "");
  let rest = first.trimStart();
  if (rest.startsWith(",")) {
    const second = rest.slice(1).trimStart();
    const end = /^[+~]\d+/.exec(second)?.[0];
    const after = end === undefined ? afterAddress(second) : second.slice(end.length);
    if (after === undefined) return undefined;
    rest = after.trimStart();
  }
  return rest.replace(/^!\s*/, "");
}

function afterAddress(text: string): string | undefined {
  const plain = sedAddress.exec(text)?.[0];
  if (plain !== undefined) return text.slice(plain.length);
  if (!text.startsWith("/")) return undefined;
  return afterDelimiter(text.slice(1), "/")?.replace(/^[IM]+/, "");
}

function afterCommand(text: string): string | undefined {
  const name = text[0] ?? "";
  const rest = text.slice(1);
  if (/[pPdDnNgGhHxlz=}]/.test(name)) return rest;
  if (name === "{") return `;${rest}`;
  if (/[qQ]/.test(name)) return rest.replace(/^\s*\d+/, "");
  if (name !== "s" && name !== "y") return undefined;
  const delimiter = rest[0] ?? "";
  // With a letter or a bracket, versions of sed differ in where a part ends.
  if (!/[/|,#:!@%_~]/.test(delimiter)) return undefined;
  const replacement = afterDelimiter(rest.slice(1), delimiter);
  const end = replacement === undefined ? undefined : afterDelimiter(replacement, delimiter);
  if (end === undefined) return undefined;
  return name === "y" ? end : end.slice(substituteFlags.exec(end)?.[0].length ?? 0);
}

/** What follows the next delimiter. Undefined where versions of sed don't agree on which one that is. */
function afterDelimiter(text: string, delimiter: string): string | undefined {
  let isInBrackets = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === "\n") return undefined;
    if (character === "\\") at++;
    else if (character === delimiter) return isInBrackets ? undefined : text.slice(at + 1);
    else if (character === "[") isInBrackets = true;
    else if (character === "]") isInBrackets = false;
  }
  return undefined;
}

const alone = new Set(
  "-print -print0 -ls -prune -quit -not ! -a -and -o -or , ( ) -empty -readable -writable -executable -follow -mount -xdev -depth -d -daystart -noleaf -true -false -nogroup -nouser -warn -nowarn -ignore_readdir_race".split(
    " ",
  ),
);
const withValue = new Set(
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -mtime -mmin -atime -amin -ctime -cmin -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -fstype -used -printf".split(
    " ",
  ),
);
const withFile = /^-(?:newer(?:[aBcm][aBcmt])?|anewer|cnewer|samefile)$/;
const acting = /^-(?:exec|execdir|ok|okdir|delete|fls|fprint|fprint0|fprintf|files0-from)$/;

/** `find` prints names unless its expression runs, deletes or writes. */
function judgeFind(args: readonly ShellWord[]): Assessment {
  const reads: ReadPath[] = [];
  let at = 0;
  for (; /^-(?:[HLP]|O[0-3])$/.test(args[at]?.text ?? ""); at++);
  const isStart = (word: ShellWord | undefined) => word !== undefined && !/^(?:-|[!(),]$)/.test(word.text);
  for (let word = args[at]; word !== undefined && isStart(word); word = args[++at]) {
    if (/^[*?[]/.test(word.source)) return unknown("A file's name could be taken for a part of the expression.");
    reads.push({ word, namesOnly: true });
  }
  for (let word = args[at]; word !== undefined; word = args[++at]) {
    if (acting.test(word.text)) return acts(`${word.text} writes, deletes or runs something.`);
    // A wildcard outside quotes becomes names of files, and one of them could be an expression.
    if (word.isGlob) return unknown("A file's name could be taken for a part of the expression.");
    if (alone.has(word.text)) continue;
    const value = args[at + 1];
    const takesFile = withFile.test(word.text);
    if (!takesFile && !withValue.has(word.text)) return unknown(`${word.text} is not known to be harmless.`);
    if (value === undefined) return unknown(`${word.text} has no value.`);
    if (value.isGlob && (takesFile || /^[*?[]/.test(value.source)))
      return unknown(`The pattern of ${word.text} is not in quotes.`);
    if (takesFile) reads.push({ word: value, namesOnly: true });
    at++;
  }
  return { kind: "reads", reads: reads.length > 0 ? reads : [{ word: here, namesOnly: true }] };
}
