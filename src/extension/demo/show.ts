import { type DemoCall, type DemoStep, gather, type Work } from "./conversation.ts";
import { findDeclarations, isComment } from "./declarations.ts";
import { inlineCode } from "./explore.ts";
import { parsePaths, readFiles } from "./toolResults.ts";

const maxLines = 60;
const answer = (...parts: string[]): DemoStep => ({
  type: "answer",
  text: parts.filter((part) => part !== "").join("\n\n"),
});

/** In a fence that the lines themselves don't end. */
function fenced(lines: readonly string[]): string {
  const text = lines.join("\n");
  const maxTicks = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(maxTicks + 1);
  return `${fence}\n${text}\n${fence}`;
}

const looking: DemoCall[] = [
  { name: "list_files", arguments: { depth: 3 } },
  { name: "find_files", arguments: { pattern: "**/README*", limit: 20 } },
];

/** "Show me around": what the README says first, and the tree of files. */
export function showAround(work: Work): DemoStep {
  const looked = gather(work, looking);
  if (looked.missing.length > 0) return { type: "calls", text: "Looking around.", calls: looked.missing };
  const [tree, found] = looked.outcomes;
  if (tree === undefined || tree.isError) return { type: "answer", text: `Nothing to show: ${tree?.text ?? ""}` };
  const depth = (path: string) => path.split("/").length;
  const readme = parsePaths(found?.isError ? "" : (found?.text ?? "")).toSorted((a, b) => depth(a) - depth(b))[0];
  const read = readFiles(readme === undefined ? [] : [readme], work);
  if (read.missing.length > 0) return { type: "calls", text: `Reading \`${readme}\`.`, calls: read.missing };
  const opening = firstParagraph(read.files.get(readme ?? "") ?? []);
  const lines = tree.text.split("\n");
  const shown = lines.length > maxLines ? [...lines.slice(0, maxLines), "…"] : lines;
  return answer(
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
export function outline(path: string, work: Work): DemoStep {
  const byPath = readFiles(path.includes("/") ? [path] : [], work);
  if (byPath.missing.length > 0) return { type: "calls", text: `Reading \`${path}\`.`, calls: byPath.missing };
  const isThere = byPath.files.has(path);
  const pattern = `**/${path.split("/").at(-1)}`;
  const found = gather(work, isThere ? [] : [{ name: "find_files", arguments: { pattern, limit: 20 } }]);
  if (found.missing.length > 0) return { type: "calls", text: `Looking for \`${path}\`.`, calls: found.missing };
  const [nearest] = parsePaths(found.outcomes[0]?.text ?? "").toSorted((a, b) => a.length - b.length);
  const file = isThere ? path : nearest;
  const read = readFiles(file === undefined ? [] : [file], work);
  if (read.missing.length > 0) return { type: "calls", text: `Reading \`${file}\`.`, calls: read.missing };
  const texts = read.files.get(file ?? "");
  if (texts === undefined) return answer(`There is no file \`${path}\` in this workspace that I can read.`);
  const lines = texts.map((text, index) => ({ line: index + 1, text }));
  const declared = findDeclarations(lines).filter(({ indent }) => indent === 0);
  const items = declared.slice(0, maxLines).map(({ name, line }) => {
    const said = commentAbove(texts, line);
    return `- line ${line}: \`${name}\`${said === "" ? "" : `, ${inlineCode(said)}`}`;
  });
  const heading = `\`${file}\` has ${texts.length} ${texts.length === 1 ? "line" : "lines"}`;
  const left = declared.length > maxLines ? `\n- … and ${declared.length - maxLines} more` : "";
  return answer(
    items.length === 0
      ? `${heading}. It begins:\n\n${fenced(texts.slice(0, 20))}`
      : `${heading} and declares:\n\n${items.join("\n")}${left}`,
    "_An outline by rules: to have code explained, connect a language model._",
  );
}

/** The first words of the comment that ends just above a line. */
function commentAbove(texts: readonly string[], line: number): string {
  const start = texts.slice(0, line - 1).findLastIndex((text) => !isComment(text)) + 1;
  const words = texts.slice(start, line - 1).map((text) => text.replace(/^[\s/*#-]+|[\s*/]+$/g, ""));
  return words.find((text) => text !== "") ?? "";
}

/** "Run `npm test`": the command as it was named, or the tests as package.json has them. */
export function showCommand(named: string | undefined, work: Work): DemoStep {
  if (!work.tools.has("run_command")) return answer("I can't run commands here.");
  let command = named;
  if (command === undefined) {
    const manifest = readFiles(["package.json"], work);
    if (manifest.missing.length > 0) {
      return { type: "calls", text: "Looking how the tests are run.", calls: manifest.missing };
    }
    if (!/"test"\s*:/.test(manifest.files.get("package.json")?.join("\n") ?? "")) {
      return answer("I don't know how the tests are run here. Name the command: “run `npm test`”.");
    }
    command = "npm test";
  }
  const { outcomes, missing } = gather(work, [{ name: "run_command", arguments: { command } }]);
  if (missing.length > 0) return { type: "calls", text: `Running ${inlineCode(command)}.`, calls: missing };
  const { text = "", isError = true } = outcomes[0] ?? {};
  const lines = text.trimEnd().split("\n");
  const cut = lines.length > maxLines ? [...lines.slice(0, 5), "…", ...lines.slice(5 - maxLines)] : lines;
  return answer(
    `${inlineCode(command)} ${isError ? "did not succeed" : "succeeded"}:`,
    fenced(cut),
    isError ? "_I only run it: finding out why and fixing it takes a language model._" : "",
  );
}

/** "Show the problems": errors and warnings as the editor has them. */
export function showProblems(work: Work): DemoStep {
  const { outcomes, missing } = gather(work, [{ name: "get_diagnostics", arguments: {} }]);
  if (missing.length > 0) return { type: "calls", text: "Looking at the problems.", calls: missing };
  const { text = "" } = outcomes[0] ?? {};
  const lines = text.trimEnd().split("\n");
  if (/^The editor shows no problems/.test(text)) return answer(text);
  return answer(fenced(lines.slice(0, maxLines)), "_I only show them: fixing them takes a language model._");
}
