import type { DemoCall, Outcome, Rule } from "./conversation.ts";
import { commentAbove, findDeclarations } from "./declarations.ts";
import { count, fenced, inlineCode, paragraphs } from "./markdown.ts";
import { linesOfFile, parseMatches } from "./toolResults.ts";

const maxLines = 60;
const noOutcome: Outcome = { text: "", isError: true };
const looking: DemoCall[] = [
  { name: "list_files", arguments: { depth: 3 } },
  { name: "find_files", arguments: { pattern: "**/README*", limit: 20 } },
];

/** "Show me around": what the README says first, and the tree of files. */
export function* showAround(): Rule {
  const [tree, found] = yield { text: "Looking around.", calls: looking };
  if (tree === undefined || tree.isError) return `Nothing to show: ${tree?.text ?? ""}`;
  const depth = (path: string) => path.split("/").length;
  const [readme] = [...parseMatches(found?.isError ? "" : (found?.text ?? "")).keys()].toSorted(
    (a, b) => depth(a) - depth(b),
  );
  const opening = readme === undefined ? "" : firstParagraph((yield* linesOfFile(readme)) ?? []);
  const lines = tree.text.split("\n");
  const shown = lines.length > maxLines ? [...lines.slice(0, maxLines), "…"] : lines;
  return paragraphs(
    opening === "" ? "" : `\`${readme}\` says:\n\n> ${opening}`,
    `The files:\n\n${fenced(shown)}`,
    "Ask me where something is: “Where is … computed?” _I find places by rules; I do not understand code._",
  );
}

/** The first lines that are neither a heading nor a badge. */
function firstParagraph(texts: readonly string[]): string {
  const lines = texts.map((text) => text.trim());
  const start = lines.findIndex((line) => /^[\p{L}\p{N}*_"“(]/u.test(line) && !line.startsWith("[!"));
  if (start < 0) return "";
  const end = lines.indexOf("", start);
  return lines.slice(start, end < 0 ? undefined : end).join(" ");
}

/** "Explain src/cart.ts": what the file declares, each with the first line of its comment; its first lines if nothing. */
export function* outline(named: string): Rule {
  let path: string | undefined = named;
  let texts = named.includes("/") ? yield* linesOfFile(named) : undefined;
  if (texts === undefined) {
    const pattern = `**/${named.split("/").at(-1)}`;
    const calls = [{ name: "find_files", arguments: { pattern, limit: 20 } }];
    const [found] = yield { text: `Looking for \`${named}\`.`, calls };
    [path] = [...parseMatches(found?.text ?? "").keys()].toSorted((a, b) => a.length - b.length);
    texts = path === undefined ? undefined : yield* linesOfFile(path);
  }
  if (texts === undefined) return `There is no file \`${named}\` in this workspace that I can read.`;
  const lines = texts.map((text, index) => ({ line: index + 1, text }));
  const declared = findDeclarations(lines).filter(({ indent }) => indent === 0);
  const items = declared.slice(0, maxLines).map(({ name, line }) => {
    const comment = commentAbove(lines, line).map((text) => text.replace(/^[\s/*#-]+|[\s*/]+$/g, ""));
    const words = comment.find((text) => text !== "");
    return `- line ${line}: \`${name}\`${words === undefined ? "" : `, ${inlineCode(words)}`}`;
  });
  const heading = `\`${path}\` has ${count(texts.length, "line")}`;
  const left = declared.length > maxLines ? `\n- … and ${declared.length - maxLines} more` : "";
  return paragraphs(
    items.length === 0
      ? `${heading}. It begins:\n\n${fenced(texts.slice(0, 20))}`
      : `${heading} and declares:\n\n${items.join("\n")}${left}`,
    "_An outline by rules: to have code explained, connect a language model._",
  );
}

/** "Run `npm test`": the command as it was named, or the tests as package.json has them. */
export function* showCommand(named: string | undefined, tools: ReadonlySet<string>): Rule {
  if (!tools.has("run_command")) return "I can't run commands here.";
  if (named === undefined && !/"test"\s*:/.test(((yield* linesOfFile("package.json")) ?? []).join("\n"))) {
    return "I don't know how the tests are run here. Name the command: “run `npm test`”.";
  }
  const command = named ?? "npm test";
  const calls = [{ name: "run_command", arguments: { command } }];
  const [{ text, isError } = noOutcome] = yield { text: `Running ${inlineCode(command)}.`, calls };
  const lines = text.trimEnd().split("\n");
  const cut = lines.length > maxLines ? [...lines.slice(0, 5), "…", ...lines.slice(5 - maxLines)] : lines;
  return paragraphs(
    `${inlineCode(command)} ${isError ? "did not succeed" : "succeeded"}:`,
    fenced(cut),
    isError ? "_I only run it: finding out why and fixing it takes a language model._" : "",
  );
}

/** "Show the problems": errors and warnings as the editor has them. */
export function* showProblems(): Rule {
  const [{ text } = noOutcome] = yield {
    text: "Looking at the problems.",
    calls: [{ name: "get_diagnostics", arguments: {} }],
  };
  if (/^The editor shows no problems/.test(text)) return text;
  const lines = text.trimEnd().split("\n").slice(0, maxLines);
  return paragraphs(fenced(lines), "_I only show them: fixing them takes a language model._");
}
