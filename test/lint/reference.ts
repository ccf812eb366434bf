import { readFile } from "node:fs/promises";
import path from "node:path";
import { readManifest, type SettingSchema } from "../support/manifest.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** What other people's keybindings may ask for in a `when`. */
export const contextKeys: Readonly<Record<string, string>> = {
  "arbor.running": "agents are at work",
  "arbor.waiting": "something waits for your answer",
  "arbor.panelFocus": "the panel has the focus",
  "arbor.review.pending": "an edit waits to be accepted or rejected",
  "arbor.review.threadAtCaret": "list with the comment thread of the proposed edit at the cursor, or empty",
  "arbor.applied.pending": "written edits wait to be kept or undone",
  "arbor.applied.files": "list of the files that have such edits",
  "arbor.demoTried": "the demo has answered in this window",
  "arbor.modelAnswered": "a real model has answered in this window",
  "arbor.editReviewed": "an edit was accepted or rejected in this window",
  "arbor.branchSteered": "a message was sent to a sub-agent in this window",
};

/** `docs/reference.md`, from the manifest and the tools' descriptions. */
export async function referenceText(): Promise<string> {
  const { contributes } = await readManifest();
  const groups = contributes.configuration.flatMap(({ title, properties }) => [
    `### ${title}`,
    ...Object.entries(properties).map(([key, schema]) => settingText(key, schema)),
  ]);
  const inPalette = ({ command }: { command: string }) =>
    !contributes.menus.commandPalette?.some((entry) => entry.command === command && entry.when === "false");
  const commands = contributes.commands.map((command) => {
    const where = inPalette(command) ? `**Arbor: ${command.title}**` : `${command.title} (in menus)`;
    return [where, code(command.command), command.enablement === undefined ? "" : code(command.enablement)];
  });
  const keys = contributes.keybindings.map(({ command, key, mac, when }) => {
    const title = contributes.commands.find((each) => each.command === command)?.title ?? command;
    return [title, code(key), code(mac), code(when)];
  });
  return `${[
    "# Reference",
    "Every setting, command, key, context key and tool. This page is written from the code: after a change,\n`ARBOR_GOLDEN=write` with `test/lint/docs.test.ts` writes it again.",
    "## Settings",
    "Type any of the words after a setting into the search of the settings editor to find it.",
    ...groups,
    "## Commands",
    ...table(["command", "id", "enabled when"], commands),
    "## Keys",
    ...table(["does", "key", "on macOS", "when"], keys),
    "In the panel, `Enter` sends and queues, `Ctrl+Enter` (`Cmd+Enter`) sends to agents at work, `Shift+Enter` begins a line,\n`Ctrl+F` finds, and `Escape` closes what is open; pressed twice it stops all agents.",
    "## Context keys",
    "For the `when` of your own keybindings.",
    ...table(
      ["key", "holds while"],
      Object.entries(contextKeys).map(([key, text]) => [code(key), text]),
    ),
    "## Tools",
    "What agents can call, before MCP servers and skills add to it. Rules like `run_command(npm test)` name some of them.",
    ...table(["tool", "does"], await toolRows()),
  ].join("\n\n")}\n`;
}

function settingText(
  key: string,
  { default: value, markdownDescription = "", keywords = [], ...schema }: SettingSchema,
) {
  const text = markdownDescription.replace(/\[([^\]]+)\]\(command:[^)]+\)/g, "**$1**").replace(/`#([\w.]+)#`/g, "`$1`");
  const values = (schema.enum ?? []).map((name, index) => `- ${code(name)}: ${schema.enumDescriptions?.[index] ?? ""}`);
  const lines = [`**\`${key}\`**, default ${code(JSON.stringify(value))}`, text];
  if (values.length > 0) lines.push(values.join("\n"));
  return [...lines, `_Found by: ${keywords.join(", ")}._`].join("\n\n");
}

async function toolRows(): Promise<string[][]> {
  const golden = await readFile(path.join(root, "test/extension/prompts/golden/tools.txt"), "utf8");
  const tools: { name: string; description: string }[] = JSON.parse(
    `[${golden.trim().replaceAll("\n}\n{", "\n},\n{")}]`,
  );
  return tools.map(({ name, description }) => [code(name), /^.+?\.(?=\s|$)/s.exec(description)?.[0] ?? description]);
}

const code = (text: string) => (text.includes("|") ? `<code>${text.replaceAll("|", "&#124;")}</code>` : `\`${text}\``);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("\n", " ")).join(" | ")} |`;
  return [[line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")];
}
