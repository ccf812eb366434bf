import type { ToolResult } from "../../agent/vocabulary/tools.ts";
import { ToolError } from "../common/userError.ts";
import type { OutputStore } from "../terminal/outputStore.ts";

const mostLines = 2_000;
const mostBytes = 50_000;
/** The numbers before the lines and the remarks need room of their own within the limit of a result. */
const numberRoom = 10;
const remarks = 30;

/** A page of a long output that was kept, numbered like a file. */
export async function outputPage(
  outputs: OutputStore,
  name: string,
  { start_line: start = 1, end_line: end }: { start_line?: number | undefined; end_line?: number | undefined },
): Promise<ToolResult> {
  if (end !== undefined && end < start) throw new ToolError("end_line must not be before start_line.");
  const lines = Math.min(mostLines - 2, end === undefined ? mostLines : end - start + 1);
  const page = await outputs.lines(name, start, { lines, bytes: mostBytes - (lines + remarks) * numberRoom });
  if (page.lines.length === 0 && page.total > 0) {
    throw new ToolError(`${name} has only ${page.total} lines. Give a smaller start_line.`);
  }
  const next = start + page.lines.length;
  const numbered = page.lines.map((line, index) => `${start + index}\t${line}`);
  const cut = page.cutBytes > 0 ? [`(Line ${start} is too long: ${page.cutBytes} more bytes are left out.)`] : [];
  const more = next <= page.total ? [`(${page.total - next + 1} more lines, continue at start_line=${next}.)`] : [];
  return {
    content: [...numbered, ...cut, ...more].join("\n"),
    details: { path: name, startLine: start, endLine: next - 1, totalLines: page.total },
  };
}
