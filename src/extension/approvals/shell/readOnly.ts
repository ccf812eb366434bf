import { judgeFind } from "./find.ts";
import { judgeGit } from "./git.ts";
import { type Assessment, acts, type Below, here, type ReadPath, readOptions, unknown } from "./options.ts";
import { type CommandTable, optionTables, versionQuestions } from "./optionTables.ts";
import { isPrintingScript } from "./sed.ts";
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
