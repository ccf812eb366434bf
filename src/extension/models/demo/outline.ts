import { findDeclarations, isComment, type SourceLine } from "./declarations.ts";
import { locateFile } from "./locateFile.ts";
import { readFiles } from "./readFiles.ts";
import { inlineCode } from "./report.ts";
import type { Step, Work } from "./step.ts";

const shownDeclarations = 30;

/** "Explain FILE", as far as rules can: what it declares, with the comments that stand above. */
export function outlineFile(file: string, work: Work): Step {
  const located = locateFile(file, work);
  if ("step" in located) return located.step;
  const { path } = located;
  const { files, missing } = readFiles([path], work);
  if (missing.length > 0) return { type: "calls", text: `Reading \`${path}\`.`, calls: missing };
  const lines = (files.get(path) ?? []).map((text, index): SourceLine => ({ line: index + 1, text }));
  const declarations = findDeclarations(lines).filter(({ indent, kind }) => indent === 0 || kind === "function");
  const listed = declarations.slice(0, shownDeclarations).map((declaration) => {
    const depth = declaration.indent === 0 ? "" : "  ";
    const comment = commentAbove(lines, declaration.line);
    return `${depth}- \`${path}:${declaration.line}\` ${declaration.kind} ${inlineCode(declaration.name)}${comment === "" ? "" : `: ${comment}`}`;
  });
  const more = declarations.length > listed.length ? [`- and ${declarations.length - listed.length} more`] : [];
  const contents = listed.length === 0 ? ["It declares nothing that my rules recognise."] : [...listed, ...more];
  const text = [
    `\`${path}\` has ${lines.length} ${lines.length === 1 ? "line" : "lines"}. What it declares:`,
    contents.join("\n"),
    "_The demo model lists what stands there by rules; to have it explained, choose a language model._",
  ];
  return { type: "answer", text: text.join("\n\n") };
}

/** The first sentence of the comment that ends right above a line. */
function commentAbove(lines: readonly SourceLine[], line: number): string {
  let start = line - 1;
  while (start > 0 && isComment(lines[start - 1]?.text ?? "")) start--;
  const words = lines
    .slice(start, line - 1)
    .map(({ text }) => text.replace(/^\s*(\/\*\*?|\*\/|\*|\/\/+|#+|--)\s?/, "").replace(/\s*\*\/\s*$/, ""))
    .join(" ")
    .trim();
  return /^.*?[.!?](?=\s|$)/.exec(words)?.[0] ?? words.slice(0, 160);
}
