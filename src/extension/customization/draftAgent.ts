import { t } from "@vscode/l10n";
import * as z from "zod";
import { Agent, type Model, type StreamFn } from "../../agent/index.ts";
import { errorText } from "../../agent/vocabulary/errors.ts";
import { textOf } from "../../agent/vocabulary/messages.ts";
import { findJson } from "../../agent/vocabulary/partialJson.ts";
import { UserError } from "../common/userError.ts";
import { draftAgentPrompt } from "../prompts/agentPrompts.ts";
import { maxDescription, namePattern, onOneLine, plainName, reservedNames } from "./agentFile.ts";
import { delegateAgents, requestedAgents } from "./agents.ts";
import { editorToolChoices } from "./toolNames.ts";

const draftSchema = z.object({
  name: z.string(),
  description: z.string().min(1),
  tools: z.array(z.string()).optional(),
  instructions: z.string().min(1).max(20_000),
});

/** A name that means a sentence: what an agent is to do. */
export function isSentence(text: string): boolean {
  return text.trim().split(/\s+/).length > 2;
}

export interface DraftOptions {
  model: Model;
  streamFn: StreamFn;
  /** Names that other agents have. */
  taken: ReadonlySet<string>;
  /** Writes to the log what the request had to go without. */
  warn(message: string): void;
}

/** Has a model write an agent file for a sentence. Throws a `UserError` where none comes of it. */
export async function draftAgent(
  sentence: string,
  { model, streamFn, taken, warn }: DraftOptions,
  signal: AbortSignal,
): Promise<{ name: string; text: string }> {
  const agent = new Agent({ model, streamFn, systemPrompt: draftAgentPrompt(editorToolChoices), maxTurns: 1 });
  agent.subscribe((event) => {
    if (event.type === "warning") warn(event.message);
  });
  const answer = await agent.run(sentence, { signal }).then(textOf, (error: unknown) => {
    signal.throwIfAborted();
    throw new UserError(t("The model could not be asked: {0}", errorText(error)));
  });
  const parsed = draftSchema.safeParse(findJson(answer));
  if (!parsed.success) {
    throw new UserError(t("The model did not write an agent. Describe it differently, or give a name for a template."));
  }
  const { description, tools, instructions } = parsed.data;
  const name = freeName(parsed.data.name, taken);
  // None that there is means none: left out, it would have all.
  const known = tools?.filter((tool) => editorToolChoices.includes(tool));
  const lines = [
    ...["---", `name: ${name}`, `description: ${JSON.stringify(onOneLine(description).slice(0, maxDescription))}`],
    ...(known === undefined ? [] : [`tools: [${known.join(", ")}]`]),
    ...["---", "", instructions.trim(), ""],
  ];
  return { name, text: lines.join("\n") };
}

function freeName(given: string, taken: ReadonlySet<string>): string {
  const plain = plainName(given)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .slice(0, 40);
  const name = namePattern.test(plain) ? plain : "agent";
  const builtIn = [...delegateAgents, ...requestedAgents].map((agent) => agent.name);
  const unusable = new Set([...taken, ...reservedNames, ...builtIn]);
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!unusable.has(candidate)) return candidate;
  }
}
