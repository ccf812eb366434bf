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
  const texts = files.get(path) ?? [];
  const declared = describeDeclarations(path, texts);
  const listed = declared.slice(0, shownDeclarations);
  const more = declared.length > listed.length ? [`- and ${declared.length - listed.length} more`] : [];
  const contents = listed.length === 0 ? ["It declares nothing that my rules recognise."] : [...listed, ...more];
  const text = [
    `\`${path}\` has ${texts.length} ${texts.length === 1 ? "line" : "lines"}. What it declares:`,
    contents.join("\n"),
    "_The demo model lists what stands there by rules; to have it explained, choose a language model._",
  ];
  return { type: "answer", text: text.join("\n\n") };
}

/** A list entry for each declaration of a file, what stands inside another one further in. */
export function describeDeclarations(path: string, texts: readonly string[]): string[] {
  const lines = texts.map((text, index): SourceLine => ({ line: index + 1, text }));
  const declarations = findDeclarations(lines).filter(({ indent, kind }) => indent === 0 || kind === "function");
  return declarations.map((declaration) => {
    const depth = declaration.indent === 0 ? "" : "  ";
    const comment = commentAbove(lines, declaration.line);
    return `${depth}- \`${path}:${declaration.line}\` ${declaration.kind} ${inlineCode(declaration.name)}${comment === "" ? "" : `: ${comment}`}`;
  });
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
