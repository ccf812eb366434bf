import type { GetPromptResult, Prompt } from "@modelcontextprotocol/client";
import { t } from "@vscode/l10n";
import type { SlashCommand } from "../../protocol/suggestions.ts";
import { visibleText } from "../approvals/requestText.ts";
import { ToolError, UserError } from "../common/userError.ts";
import type { McpServer } from "./mcpServer.ts";

const maxCommands = 100;
const maxTextLength = 100_000;

interface PromptCommand {
  name: string;
  server: McpServer;
  prompt: Prompt;
}

/** The prompts of servers as commands of the composer, named `server__prompt`. */
export function promptCommands(servers: readonly McpServer[]): SlashCommand[] {
  return namedPrompts(servers).map(({ name, server, prompt: { description, title, arguments: fields = [] } }) => ({
    name,
    description: visibleText(description ?? title ?? t("A prompt of {0}", server.definition.name)).slice(0, 200),
    takesText: fields.length > 0,
    group: "server",
  }));
}

/**
 * What a prompt says, for the composer: the user reads it before it is sent. Undefined for a command that is none of
 * theirs. Throws a `UserError` when an argument is missing or the server fails.
 */
export async function promptText(
  servers: readonly McpServer[],
  { name, text }: { name: string; text: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = namedPrompts(servers).find((each) => each.name === name);
  if (found === undefined) return undefined;
  const { server, prompt } = found;
  try {
    return textOfPrompt(await server.getPrompt(prompt.name, argumentsOf(found, text), signal));
  } catch (error) {
    // It is written for a model, in English; a person has no better text of what a server said.
    if (error instanceof ToolError) throw new UserError(error.message);
    throw error;
  }
}

function namedPrompts(servers: readonly McpServer[]): PromptCommand[] {
  const plain = (text: string) => text.replace(/[^\w-]/g, "_").slice(0, 60);
  const byName = new Map<string, PromptCommand>();
  for (const server of servers) {
    for (const prompt of server.offers.prompts) {
      const name = `${plain(server.definition.name)}__${plain(prompt.name)}`;
      if (byName.size < maxCommands && !byName.has(name)) byName.set(name, { name, server, prompt });
    }
  }
  return [...byName.values()];
}

/** The words after the command: one for each argument, in quotes where it has blanks, and the rest for the last one. */
function argumentsOf({ name, prompt }: PromptCommand, text: string): Record<string, string> {
  const fields = prompt.arguments ?? [];
  const values: Record<string, string> = {};
  let rest = text.trim();
  for (const [at, field] of fields.entries()) {
    const isLast = at === fields.length - 1;
    const [whole = "", quoted, word] = isLast ? [rest, undefined, rest] : (/^(?:"([^"]*)"|(\S+))\s*/.exec(rest) ?? []);
    rest = rest.slice(whole.length);
    const value = quoted ?? word ?? "";
    if (value !== "") values[field.name] = value;
    else if (field.required === true) {
      const usage = fields.map((each) => (each.required === true ? `<${each.name}>` : `[${each.name}]`)).join(" ");
      throw new UserError(t("This command needs arguments: {0}", visibleText(`/${name} ${usage}`)));
    }
  }
  return values;
}

function textOfPrompt({ messages }: GetPromptResult): string {
  const texts = messages.map(({ role, content }) => {
    const text =
      content.type === "text"
        ? content.text
        : content.type === "resource" && "text" in content.resource
          ? content.resource.text
          : `(${content.type})`;
    return messages.length === 1 ? text : `${role}: ${text}`;
  });
  return texts.join("\n\n").split("\t").map(visibleText).join("\t").slice(0, maxTextLength);
}
