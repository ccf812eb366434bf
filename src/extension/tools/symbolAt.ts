import * as z from "zod";
import { ToolError } from "../common/userError.ts";
import { columnsOf } from "../workspace/language/textPositions.ts";
import type { Position } from "../workspace/workspace.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { readEditable, type TextContent } from "./openText.ts";
import type { Reading } from "./secretReads.ts";

/** How a model points at a symbol: a column it would have to count, a name on a line it has seen. */
export const symbolFields = {
  path: z.string().describe("A file that has the symbol."),
  line: z.int().min(1).describe("A line that has it, from 1."),
  symbol: z.string().describe("Its name, as in that line."),
};

export interface SymbolArguments {
  path: string;
  line: number;
  symbol: string;
}

export interface SymbolAt {
  path: string;
  name: string;
  at: Position;
  content: TextContent;
}

/** Where the symbol is; an error that names the lines which have it when that one has not. */
export async function symbolAt(
  dependencies: ToolDependencies,
  { path: asked, line, symbol }: SymbolArguments,
  reading: Reading,
): Promise<SymbolAt> {
  const path = dependencies.workspace.canonicalPath(asked);
  const content = await readEditable(dependencies, path, reading);
  const name = symbol.trim();
  if (name === "") throw new ToolError("symbol is empty. Give the name as it is in the line.");
  const lines = content.text.split(/\r\n|\r|\n/);
  const [column] = columnsOf(lines[line - 1] ?? "", name);
  if (column !== undefined) return { path, name, at: { line, column }, content };
  throw new ToolError(`Line ${line} of ${path} has no ${name}. ${elsewhere(lines, name, line)}`);
}

function elsewhere(lines: readonly string[], name: string, line: number): string {
  const found = lines.flatMap((text, index) => (columnsOf(text, name).length > 0 ? [index + 1] : []));
  if (found.length === 0) return "The file does not have it: find it with find_symbols or search_text.";
  const near = found.sort((one, other) => Math.abs(one - line) - Math.abs(other - line)).slice(0, 5);
  return `It is in ${near.length === 1 ? "line" : "lines"} ${near.sort((one, other) => one - other).join(", ")}.`;
}
