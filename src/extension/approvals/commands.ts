import { access, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { isBelow } from "./paths.ts";
import { gitReadCommands } from "./shell/git.ts";
import { gitConcern } from "./shell/gitConfig.ts";
import { optionTables, versionQuestions } from "./shell/optionTables.ts";
import { parseBash, type SimpleCommand } from "./shell/parseCommand.ts";
import { judgePowerShell } from "./shell/powershell.ts";
import { assess } from "./shell/readOnly.ts";
import { type ReadScope, readConcern } from "./shell/readPaths.ts";
import { findAllowing, findOpposing, parseRules, programName } from "./shell/rules.ts";
import type { CommandJudgement, CommandPart, CommandRules, CommandVerdict, ParsedRules } from "./shell/verdict.ts";
import { isPlainInZsh, quoteWord } from "./shell/words.ts";

export type { CommandJudgement, CommandPart, CommandRules, CommandVerdict as Verdict } from "./shell/verdict.ts";

export interface JudgeOptions {
  shell?: "bash" | "zsh" | "powershell" | "cmd";
  /** Absolute. Without it nothing is looked up on the disk. */
  cwd?: string;
  /** Folders of the workspace, absolute. Default: `cwd`. */
  roots?: readonly string[];
  /** Where programs are looked for, as PATH says it. Default: the editor's. */
  searchPath?: string;
}

/** What only reads, by name; the tables of options say which of its options do. And what is never or seldom meant. */
export const defaultCommandRules: CommandRules = {
  allow: [
    ...Object.keys(optionTables).map((name) => `${name} *`),
    ...["cd *", "find *", "sed *", "command -v *", "command -V *"],
    ...gitReadCommands.map((name) => `git ${name} *`),
    ...["git", "git --version", "git --no-pager *"],
    ...Object.entries(versionQuestions).flatMap(([name, options]) =>
      ["--version", ...options].map((option) => `${name} ${option}`),
    ),
  ],
  ask: ["git push --force *", "git push -f *", "git reset --hard *", "git clean *", "npm publish *"],
  deny: [
    ...["-rf", "-fr", "-Rf", "-r -f", "-f -r", "-r", "--recursive --force"].flatMap((options) =>
      ["/", "'/*'", "'~'", "'~/'", "'~/*'", "'$HOME'", "/home", "/Users"].map((path) => `rm ${options} ${path}`),
    ),
    ...[
      "rm --no-preserve-root *",
      "rm * --no-preserve-root *",
      "mkfs *",
      "mkfs.* *",
      "shutdown *",
      "reboot *",
      "halt *",
      "poweroff *",
    ],
  ],
};

const severity: Readonly<Record<CommandVerdict, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * Whether a command may run without a question. Every simple command in it is judged, and the strictest verdict counts.
 * What isn't understood is asked.
 */
export async function judgeCommand(
  command: string,
  rules: CommandRules,
  { shell = "bash", cwd, roots, searchPath = process.env.PATH ?? "" }: JudgeOptions = {},
): Promise<CommandJudgement> {
  const parsed = {
    allow: parseRules(rules.allow).rules,
    ask: parseRules(rules.ask).rules,
    deny: parseRules(rules.deny).rules,
  };
  if (shell === "powershell" || shell === "cmd") return judgePowerShell(command, parsed, shell);
  const base = cwd ?? unknownFolder;
  const scope: ReadScope = { folders: [base], roots: roots ?? [base], isOnDisk: cwd !== undefined, home: homedir() };
  const own = cwd === undefined ? [] : await programFoldersIn(scope.roots, searchPath);
  return judgeLine(command, { rules: parsed, scope, shell, depth: 0, programFolders: own });
}

/**
 * Exact rules that would let this very command run unasked, one for each part that is asked for; empty where no rule
 * could.
 */
export async function rulesFor(command: string, rules: CommandRules, options: JudgeOptions = {}): Promise<string[]> {
  if (options.shell === "powershell" || options.shell === "cmd") return [];
  const { parts } = await judgeCommand(command, rules, options);
  const asked = new Set(parts.flatMap(({ text, verdict }) => (verdict === "ask" ? [text] : [])));
  const { commands } = await parseBash(command);
  const added = commands
    .filter(({ text }) => asked.has(text))
    .map(({ words }) => words.map(({ text }) => quoteWord(text)).join(" "));
  if (added.length === 0 || added.length > maxOfferedRules) return [];
  const { verdict } = await judgeCommand(command, { ...rules, allow: [...rules.allow, ...added] }, options);
  return verdict === "allow" ? [...new Set(added)] : [];
}

const maxOfferedRules = 3;

/** In place of the folder that a command runs in, where that isn't known. */
const unknownFolder = "/unknown folder";

interface Judging {
  rules: ParsedRules;
  scope: ReadScope;
  shell: "bash" | "zsh";
  /** Of scripts within commands. */
  depth: number;
  /** Folders of the workspace in which programs are looked for: agents may have written what is there. */
  programFolders: readonly string[];
}

async function judgeLine(line: string, judging: Judging): Promise<CommandJudgement> {
  const { commands, concerns } = await parseBash(line);
  const parts: CommandPart[] = [];
  const reasons: { verdict: CommandVerdict; reason: string }[] = concerns.map((reason) => ({ verdict: "ask", reason }));
  if (commands.length === 0 && concerns.length === 0)
    reasons.push({ verdict: "ask", reason: "There is no command in it." });
  for (const command of commands) {
    const { verdict, reason, rule, inner } = await judgeSimple(command, judging);
    parts.push({ text: command.text, verdict, ...(rule !== undefined && { rule }) }, ...(inner ?? []));
    reasons.push({ verdict, reason });
  }
  const [first] = reasons.toSorted((one, other) => severity[other.verdict] - severity[one.verdict]);
  return { verdict: first?.verdict ?? "ask", reason: first?.reason ?? "", parts };
}

interface PartJudgement {
  verdict: CommandVerdict;
  reason: string;
  rule?: string;
  inner?: CommandPart[];
}

async function judgeSimple(command: SimpleCommand, judging: Judging): Promise<PartJudgement> {
  const { rules } = judging;
  const denied = findOpposing(rules.deny, command);
  if (denied !== undefined) {
    const { source } = denied.rule;
    if (denied.isTimedOut) return ask(`The rule ${source} takes too long.`);
    return { verdict: "deny", reason: `The rule ${source} denies ${command.text}.`, rule: source };
  }
  const opposed = findOpposing(rules.ask, command);
  if (opposed !== undefined)
    return { ...ask(`The rule ${opposed.rule.source} asks for it.`), rule: opposed.rule.source };
  const concern = wordsConcern(command, judging.shell) ?? (await redirectConcern(command, judging.scope));
  if (concern !== undefined) return ask(concern);
  const words = command.words.map(({ text }) => text);
  const name = programName(words[0] ?? "");
  const script = shellScript(name, words);
  if (script === "unclear") return ask(`${name} may run what it is given.`);
  if (script !== undefined) return judgeScript(script, judging);
  if (name === "cd") return judgeFolderChange(command, judging);
  if (await isOneOf(judging.programFolders, words[0] ?? "")) return ask(`${name} may be a program of the workspace.`);
  return judgeByRules(command, name, judging);
}

async function programFoldersIn(roots: readonly string[], searchPath: string): Promise<string[]> {
  const real = (path: string) => realpath(path).catch(() => path);
  const realRoots = await Promise.all(roots.map(real));
  const entries = searchPath.split(delimiter).filter((entry) => isAbsolute(entry));
  const folders = await Promise.all(entries.map(real));
  return folders.filter((folder) => realRoots.some((root) => isBelow(folder, root, process.platform)));
}

async function isOneOf(folders: readonly string[], name: string): Promise<boolean> {
  if (name.includes("/")) return false;
  const found = await Promise.all(
    folders.map((folder) =>
      access(join(folder, name)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

async function judgeScript(script: string, judging: Judging): Promise<PartJudgement> {
  if (judging.depth >= 2) return ask("It is a script within a script within a script.");
  const { verdict, reason, parts } = await judgeLine(script, { ...judging, depth: judging.depth + 1 });
  return { verdict, reason, inner: parts };
}

async function judgeByRules(command: SimpleCommand, name: string, { rules, scope }: Judging): Promise<PartJudgement> {
  const rule = findAllowing(rules.allow, command);
  const assessment = assess(name, command.words);
  if (assessment?.kind === "acts") return ask(assessment.reason);
  if (assessment?.kind === "reads") {
    for (const read of assessment.reads) {
      const concern = await readConcern(read, scope);
      if (concern !== undefined) return ask(concern);
    }
    const concern = assessment.usesGit ? await gitConcernIn(scope) : undefined;
    if (concern !== undefined) return ask(concern);
  }
  if (rule === undefined) return ask(`No rule allows ${command.text}.`);
  if (assessment?.kind === "unknown" && !(rule.kind === "words" && rule.isExact)) {
    const exact = rules.allow.find(
      (other) => other.kind === "words" && other.isExact && findAllowing([other], command),
    );
    return exact === undefined ? ask(assessment.reason) : allowed(exact.source);
  }
  return allowed(rule.source);
}

async function gitConcernIn({ folders, isOnDisk }: ReadScope): Promise<string | undefined> {
  if (!isOnDisk) return undefined;
  for (const folder of folders) {
    const concern = await gitConcern(folder);
    if (concern !== undefined) return concern;
  }
  return undefined;
}

function ask(reason: string): PartJudgement {
  return { verdict: "ask", reason };
}

function allowed(rule: string): PartJudgement {
  return { verdict: "allow", reason: `The rule ${rule} allows it.`, rule };
}

async function redirectConcern({ redirects }: SimpleCommand, scope: ReadScope): Promise<string | undefined> {
  for (const { direction, target } of redirects) {
    if (direction === "copy" || /^\/dev\/(?:null|stdout|stderr)$/.test(target.text)) continue;
    if (direction === "write") return `It writes to ${target.text}.`;
    const concern = target.isGlob
      ? "A redirect depends on the names of files."
      : await readConcern({ word: target, namesOnly: false }, scope);
    if (concern !== undefined) return concern;
  }
  return undefined;
}

/** Later commands may run in the new folder or, where it could not be entered, in the old one. */
function judgeFolderChange(command: SimpleCommand, { rules, scope }: Judging): PartJudgement {
  const rule = findAllowing(rules.allow, command);
  const { words } = command;
  const operands = words.slice(1).filter(({ text }, index, all) => {
    const end = all.findIndex((word) => word.text === "--");
    return index > end && (end >= 0 || !/^-[LPe@]+$/.test(text));
  });
  const [target] = operands;
  const isUnclear = target?.isGlob || target?.text === "-" || (target?.isTilde && !/^~(?:\/|$)/.test(target.text));
  if (isUnclear || scope.folders.length > 8) return ask("The folder that it changes to can't be determined.");
  const text = target === undefined ? scope.home : target.isTilde ? scope.home + target.text.slice(1) : target.text;
  const changed = scope.folders.map((folder) => (isAbsolute(text) ? text : resolve(folder, text)));
  scope.folders = [...new Set([...scope.folders, ...changed])];
  return rule === undefined ? ask(`No rule allows ${command.text}.`) : allowed(rule.source);
}

/** Programs that run what their words name, or change what later words mean. */
const runners = new Set(
  [
    "env sudo doas su runuser pkexec xargs parallel timeout gtimeout nohup nice ionice chrt taskset stdbuf setsid",
    "setarch time watch script expect unbuffer strace ltrace gdb chroot unshare nsenter bwrap flock systemd-run",
    "busybox toybox entr faketime fakeroot eval source . exec builtin trap bind enable alias unalias coproc hash",
    "complete compgen set shopt export declare typeset local readonly read mapfile readarray let getopts unset",
    "pushd popd wait suspend noglob nocorrect repeat autoload zmodload emulate",
  ].flatMap((line) => line.split(" ")),
);
const keywords = new Set("if then else fi for while until do done case esac function select { } [[ ! in".split(" "));

/** What no rule allows, by the words alone. */
function wordsConcern(command: SimpleCommand, shell: "bash" | "zsh"): string | undefined {
  const [first, ...args] = command.words;
  const [concern] = command.concerns;
  if (concern !== undefined) return concern;
  if (first === undefined) return "It is a redirect without a command.";
  if (first.isGlob || first.isTilde) return "Which program it is depends on the names of files.";
  if (shell === "zsh" && !command.words.every(({ source }) => isPlainInZsh(source)))
    return "zsh may read it in another way.";
  const name = first.text.slice(first.text.lastIndexOf("/") + 1);
  if (runners.has(name)) return `${name} runs another command or changes how later ones run.`;
  if (keywords.has(name)) return "It can't be parsed.";
  if (name === "rm" && args.some(({ text }) => /^-./.test(text) && text !== "--"))
    return "It removes folders, or removes without asking.";
  return undefined;
}

/** The script that a shell is given as a word; "unclear" where it may get one in another way. */
function shellScript(name: string, words: readonly string[]): string | "unclear" | undefined {
  if (!/^(?:ba|z|da|k|a|fi)?sh$/.test(name)) return undefined;
  const [, option, script] = words;
  if (words.length === 3 && /^-l?c$/.test(option ?? "") && script !== undefined) return script;
  return words.length === 1 || /^[-+]/.test(option ?? "") ? "unclear" : undefined;
}
