import { t } from "@vscode/l10n";
import * as z from "zod";
import type { ToolResult } from "../../agent/vocabulary/messages.ts";
import { isSecretPath } from "../approvals/sensitive.ts";
import { ToolError } from "../common/userError.ts";
import { OutputStore } from "../terminal/outputStore.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";
import { readExisting, type TextContent } from "./openText.ts";
import { orRefusal } from "./refusal.ts";

const maxLines = 2_000;
const maxCharacters = 50_000;

const schema = z.object({
  path: z.string().describe("Path in the workspace."),
  start_line: z.int().min(1).optional().describe("First line, from 1."),
  end_line: z.int().min(1).optional().describe("Last line, inclusive. Default: as many as fit."),
});
type Arguments = z.infer<typeof schema>;

/** Lines with their numbers, or an image; records which version the agent saw. */
export const readFileTool = defineEditorTool(
  { name: "read_file", access: "read", kind: "read" },
  (dependencies: ToolDependencies) => {
    const { workspace, reads, commands, userSkills } = dependencies;
    return {
      label: t("Read file"),
      description: `Reads a file as the editor has it, unsaved changes included: each line as number, tab, text. At most ${maxLines} lines or ${maxCharacters / 1_000} kB; the result says where to continue. Shows images. The user is asked before a file that may hold secrets is read.`,
      schema,
      execute: (args, context) =>
        orRefusal(async () => {
          if (commands !== undefined && OutputStore.isName(args.path)) {
            return outputPage(commands.outputs, args.path, args);
          }
          if (userSkills !== undefined && args.path.startsWith(userSkillsPath)) {
            return numberedLines(args.path, await readSkillFile(userSkills, args.path, context.signal), args);
          }
          const path = workspace.canonicalPath(args.path);
          const content = await readExisting(dependencies, path, { toolName: "read_file", context });
          if (content.kind === "image") {
            return { content: [{ type: "image", mimeType: content.mimeType, data: content.data }], details: { path } };
          }
          const result = numberedLines(path, content, args);
          reads.stamp(context.agent.id, path, content);
          if (typeof result.content === "string") dependencies.onRead?.(context.agent.id, path, result.content);
          return result;
        }),
    };
  },
);

function numberedLines(path: string, { text, unsaved }: TextContent, args: Arguments): ToolResult {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === "") lines.pop();
  const total = lines.length;
  const start = args.start_line ?? 1;
  const end = Math.min(args.end_line ?? total, total);
  if (start > Math.max(total, 1)) throw new ToolError(`${path} has only ${total} lines. Give a smaller start_line.`);
  if (args.end_line !== undefined && args.end_line < start)
    throw new ToolError("end_line must not be before start_line.");
  const shown = fittingLines(lines.slice(start - 1, end), start);
  const next = start + shown.count;
  const notes = [
    ...(total === 0 ? [`${path} is empty.`] : []),
    ...(unsaved ? ["The editor holds unsaved changes; this text includes them."] : []),
  ];
  const rest = [
    ...(shown.cut > 0 ? [`Line ${start} is too long: ${shown.cut} more characters are left out.`] : []),
    ...(next <= total ? [`${total - next + 1} more lines, continue at start_line=${next}.`] : []),
  ];
  return {
    content: [...notes.map((note) => `(${note})`), ...shown.lines, ...rest.map((note) => `(${note})`)].join("\n"),
    details: { path, startLine: start, endLine: next - 1, totalLines: total },
  };
}

/** As many of the lines as the limits allow, numbered. A single line past the limit is cut. */
function fittingLines(lines: readonly string[], start: number): { lines: string[]; count: number; cut: number } {
  const fitting: string[] = [];
  let room = maxCharacters;
  for (const [index, line] of lines.slice(0, maxLines).entries()) {
    const numbered = `${start + index}\t${line}`;
    room -= numbered.length + 1;
    if (room < 0) {
      if (index > 0) break;
      return { lines: [numbered.slice(0, maxCharacters)], count: 1, cut: numbered.length - maxCharacters };
    }
    fitting.push(numbered);
  }
  return { lines: fitting, count: fitting.length, cut: 0 };
}

/** How the paths of files begin that belong to the user's own skills. */
const userSkillsPath = "~/.agents/skills/";
const maxSkillFileBytes = 5_000_000;

async function readSkillFile(
  files: NonNullable<ToolDependencies["userSkills"]>,
  path: string,
  signal: AbortSignal,
): Promise<TextContent> {
  const found = path.split(/[\\/]/).includes("..") ? undefined : await files.stat(path);
  if (found?.kind !== "file") throw new ToolError(`There is no file ${path}.`);
  if (isSecretPath(path)) throw new ToolError(`${path} may hold secrets, so it can't be read as a part of a skill.`);
  if (found.size > maxSkillFileBytes) throw new ToolError(`${path} is too large to be read.`);
  const content = await files.read(path, signal);
  if (content.kind === "text") return content;
  throw new ToolError(`${path} is an image: it can't be read as a part of a skill.`);
}

const maxBytes = 50_000;
/** The numbers before the lines and the remarks need room of their own within the limit of a result. */
const numberRoom = 10;
const remarks = 30;

/** A page of a long output that was kept, numbered like a file. */
async function outputPage(
  outputs: OutputStore,
  name: string,
  { start_line: start = 1, end_line: end }: { start_line?: number | undefined; end_line?: number | undefined },
): Promise<ToolResult> {
  if (end !== undefined && end < start) throw new ToolError("end_line must not be before start_line.");
  const lines = Math.min(maxLines - 2, end === undefined ? maxLines : end - start + 1);
  const page = await outputs.lines(name, start, { lines, bytes: maxBytes - (lines + remarks) * numberRoom });
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
