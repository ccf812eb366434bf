import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Node } from "@vscode/tree-sitter-wasm";
import { builtFile } from "../../common/builtFile.ts";
import { readWord, type ShellWord } from "./words.ts";

/** A program with its arguments, as it is in a command line. */
export interface SimpleCommand {
  /** As written, redirects left out. */
  text: string;
  words: ShellWord[];
  redirects: Redirect[];
  /** What bash would do beside starting this program; it can't be judged by the words alone. */
  concerns: string[];
}

interface Redirect {
  direction: "read" | "write" | "copy";
  target: ShellWord;
}

export interface ParsedCommand {
  commands: SimpleCommand[];
  /** Of the line as a whole. */
  concerns: string[];
}

/** Node kinds whose parts are judged each for itself. Any other kind is a concern. */
const containers = new Set(["program", "list", "pipeline", "subshell", "negated_command", "redirected_statement"]);
const operators = new Set(["&&", "||", ";", "|", "|&", "(", ")", "!", "\n"]);
// A line that is continued without a blank is one word in bash, and two for the parser.
const betweenWords = /^(?:[ \t]*|(?:\\\n)*[ \t](?:[ \t]|\\\n)*)$/;
const betweenCommands = /^(?:[ \t\n]*|(?:\\\n)*[ \t\n](?:[ \t\n]|\\\n)*)$/;
/** What a terminal or a reader would not see as it is. A return, for example, belongs to the word it is in. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

const maxLength = 20_000;
const maxCommands = 50;

/** All simple commands of a line, those inside substitutions and loops too, and why it can't be judged by them alone. */
export async function parseBash(text: string): Promise<ParsedCommand> {
  const concerns: string[] = [];
  if (text.length > maxLength) return { commands: [], concerns: ["It is too long to be judged."] };
  for (const [character] of text.matchAll(unseen)) {
    if (character !== "\n" && character !== "\t") concerns.push("It has characters that can't be seen.");
  }
  const parse = await loadBash();
  return parse(text, (root) => {
    const commands: SimpleCommand[] = [];
    if (root.hasError) concerns.push("It can't be parsed.");
    visit(root, { source: text, commands, concerns });
    if (commands.length > maxCommands) concerns.push("It has too many parts.");
    return { commands, concerns: [...new Set(concerns)] };
  });
}

interface Visit {
  source: string;
  commands: SimpleCommand[];
  concerns: string[];
  redirects?: Redirect[];
}

function visit(node: SyntaxNode, into: Visit): void {
  if (node.type === "command") {
    into.commands.push(readCommand(node, into));
    return;
  }
  if (node.type === "comment") {
    if (/[^\s;|&(]/.test(into.source[node.startIndex - 1] ?? " ")) into.concerns.push("It can't be parsed.");
    return;
  }
  if (!containers.has(node.type)) {
    if (operators.has(node.type)) return;
    into.concerns.push(concernOf(node));
    for (const child of node.children) if (child !== null) visit(child, { ...into, redirects: [] });
    return;
  }
  if (node.type === "redirected_statement") {
    visitRedirected(node, into);
    return;
  }
  checkGaps(node, betweenCommands, into);
  for (const child of node.children) if (child !== null) visit(child, into);
}

/** Redirects of a group count as those of its last command; of nothing, as a command without words. */
function visitRedirected(node: SyntaxNode, into: Visit): void {
  checkGaps(node, betweenWords, into);
  const redirects: Redirect[] = [];
  const before = into.commands.length;
  for (const child of node.children) {
    if (child === null) continue;
    if (child.type === "file_redirect") redirects.push(...readRedirect(child, into));
    else visit(child, into);
  }
  const last = into.commands.length > before ? into.commands.at(-1) : undefined;
  if (last !== undefined) last.redirects.push(...redirects);
  else into.commands.push({ text: node.text, words: [], redirects, concerns: [] });
}

function readCommand(node: SyntaxNode, into: Visit): SimpleCommand {
  const command: SimpleCommand = { text: "", words: [], redirects: [], concerns: [] };
  const own: Visit = { ...into, concerns: command.concerns };
  checkGaps(node, betweenWords, own);
  let [textEnd, isSeparated] = [node.startIndex, true];
  for (const child of node.children) {
    if (child === null) continue;
    if (child.startIndex === textEnd && child.startIndex !== node.startIndex) isSeparated = false;
    textEnd = child.endIndex;
    if (child.type === "file_redirect") {
      command.redirects.push(...readRedirect(child, own));
      continue;
    }
    const word = child.type === "variable_assignment" ? undefined : readWord(child.text);
    if (word !== undefined) {
      command.words.push(word);
      continue;
    }
    command.concerns.push(concernOf(child));
    // What it can't say is still compared with the rules that refuse.
    const { text } = child;
    command.words.push({ text, source: text, isGlob: false, isTilde: false, glob: text });
    for (const inner of child.descendantsOfType("command")) {
      if (inner !== null) into.commands.push(readCommand(inner, into));
    }
  }
  if (!isSeparated) command.concerns.push("Its words are not apart.");
  command.text = node.text;
  return command;
}

function readRedirect(node: SyntaxNode, { concerns, source }: Visit): Redirect[] {
  const children = node.children.filter((child) => child !== null);
  const operator = children.find(({ type }) => /^(?:<|>|>>|>\||&>|&>>|<&|>&|<&-|>&-)$/.test(type));
  const targets = children.filter(({ type, id }) => type !== "file_descriptor" && id !== operator?.id);
  const [target] = targets;
  if (operator?.type.endsWith("&-") && target === undefined) return [];
  const word = target === undefined ? undefined : readWord(target.text);
  const gap = target && operator ? source.slice(operator.endIndex, target.startIndex) : "?";
  if (operator === undefined || word === undefined || targets.length !== 1 || !betweenWords.test(gap)) {
    concerns.push("The target of its redirect can't be determined.");
    return [];
  }
  const isCopy = operator.type.endsWith("&") && /^(?:\d+|-)$/.test(word.source);
  const direction = isCopy ? "copy" : operator.type === "<" ? "read" : "write";
  return [{ direction, target: word }];
}

/** Nothing may be between the parts but blanks: all text is then either judged or means nothing. */
function checkGaps(node: SyntaxNode, allowed: RegExp, { source, concerns }: Visit): void {
  let at = node.type === "program" ? 0 : node.startIndex;
  const end = node.type === "program" ? source.length : node.endIndex;
  for (const child of [...node.children, undefined]) {
    if (child === null) continue;
    if (!allowed.test(source.slice(at, child?.startIndex ?? end))) concerns.push("It can't be parsed.");
    at = child?.endIndex ?? end;
  }
}

function concernOf({ type }: SyntaxNode): string {
  if (/substitution/.test(type)) return "It runs a command inside another one.";
  if (/expansion|concatenation|word|string/.test(type)) return "It has a part that the shell replaces before it runs.";
  if (type === "variable_assignment" || type === "declaration_command") return "It sets a variable.";
  if (/heredoc|herestring/.test(type)) return "It gives a program a text to read.";
  if (type === "&") return "It runs something in the background.";
  if (type === "ERROR") return "It can't be parsed.";
  return "It is more than a list of simple commands.";
}

type SyntaxNode = Node;

/** Parses a text and hands the tree to `read`; what that returns must not hold on to nodes. */
type ParseWith = <T>(text: string, read: (root: SyntaxNode) => T) => T;

let bash: Promise<ParseWith> | undefined;

/** The parser of bash's language. Its code and its tables are loaded with the first command that is judged. */
function loadBash(): Promise<ParseWith> {
  bash ??= load();
  bash.catch(() => {
    bash = undefined;
  });
  return bash;
}

async function load(): Promise<ParseWith> {
  const { default: treeSitter } = await import("@vscode/tree-sitter-wasm");
  const { Language, Parser } = treeSitter;
  await Parser.init({ locateFile: () => fileOf("tree-sitter.wasm") });
  const parser = new Parser();
  parser.setLanguage(await Language.load(await readFile(fileOf("tree-sitter-bash.wasm"))));
  return (text, read) => {
    const tree = parser.parse(text);
    if (tree === null) throw new Error("The command could not be parsed.");
    try {
      return read(tree.rootNode);
    } finally {
      tree.delete();
    }
  };
}

function fileOf(name: string): string {
  const built = builtFile(`grammars/${name}`, import.meta.url);
  return built ?? fileURLToPath(import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/${name}`));
}
