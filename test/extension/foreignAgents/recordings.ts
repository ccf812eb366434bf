import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { Agent } from "../../../src/agent/agent/agent.ts";
import { foldTree } from "../../../src/agent/tree/reduceTree.ts";
import { type AgentTree, emptyTree, type TreeNode } from "../../../src/agent/tree.ts";
import { AgentError } from "../../../src/agent/vocabulary/errors.ts";
import type { AgentEvent } from "../../../src/agent/vocabulary/events.ts";
import type { ExternalTurn } from "../../../src/agent/vocabulary/externalTurn.ts";
import type { AgentMessage } from "../../../src/agent/vocabulary/messages.ts";
import {
  permissionRequestSchema,
  promptResultSchema,
  sessionUpdateSchema,
} from "../../../src/extension/foreignAgents/protocol.ts";
import { type Reported, SessionTree } from "../../../src/extension/foreignAgents/sessionTree.ts";

const folder = join(import.meta.dirname, "../../../../shared/corpora/acp-traffic");

const id = z.union([z.string(), z.number()]);
const entry = z.object({
  dir: z.string(),
  msg: z
    .looseObject({
      id: id.optional(),
      method: z.string().optional(),
      params: z.unknown().optional(),
      result: z.unknown().optional(),
    })
    .catch({ params: undefined, result: undefined }),
});
export type Entry = z.infer<typeof entry>;

/** Conversations with agents of others, kept beside the project; absent where that folder is, which is said in one line. */
export function recordings(): { name: string; entries: Entry[] }[] {
  if (!existsSync(folder)) {
    console.log("    ../shared/corpora/acp-traffic is not there: its recordings are left out.");
    return [];
  }
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => ({
      name: name.replace(".jsonl", ""),
      entries: readFileSync(join(folder, name), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => entry.parse(JSON.parse(line))),
    }));
}

export interface Replayed {
  events: AgentEvent[];
  reported: Map<string, Reported>;
}

/**
 * Plays a conversation to an agent: a prompt is a turn, up to its answer; so is what a session is loaded with. What came
 * outside of these counts for nothing.
 */
export async function replay(entries: readonly Entry[]): Promise<Replayed> {
  let at = 0;
  let ids = 0;
  let earlier: SessionTree | undefined;
  const reported = new Map<string, Reported>();
  const open: Entry[] = [];
  const rootId = rootSession(entries);

  const take = async (turn: ExternalTurn) => {
    const tree = new SessionTree(
      turn.agent,
      {
        ...{ sessionId: rootId, model: { id: "theirs", provider: "foreign" } },
        newId: () => `id ${ids++}`,
        now: () => at,
        onAgent: (agent, known) => void reported.set(agent.meta.id, known),
        onPlan: () => {},
      },
      earlier,
    );
    earlier = tree;
    const request = open.shift();
    let answer: unknown;
    while (at < entries.length && (answer === undefined || tree.hasRunning)) {
      const { dir, msg } = entries[at] ?? { dir: "", msg: { params: undefined } };
      if (answer !== undefined && dir === ">") break;
      at += 1;
      if (dir === ">" && msg.method === "session/prompt") {
        open.push({ dir, msg });
        agent.followUp(promptText(msg.params));
      }
      if (dir !== "<") continue;
      if (msg.method === "session/update") {
        const update = sessionUpdateSchema.safeParse(msg.params).data;
        if (update !== undefined) tree.apply(update.sessionId, update.update);
      } else if (msg.method === "session/request_permission") {
        const asked = permissionRequestSchema.parse(msg.params);
        tree.callOf(asked.sessionId, asked.toolCall);
      } else if (msg.method === undefined && msg.id === request?.msg.id) answer = msg.result ?? {};
    }
    if (answer === undefined) {
      tree.close("error", "It ended.");
      throw new AgentError("provider", "It ended.");
    }
    const result = promptResultSchema.safeParse(answer).data;
    if (result !== undefined) tree.reportPrompt(result);
    const isAborted = result?.stopReason === "cancelled";
    tree.close(isAborted ? "aborted" : "done", isAborted ? "It was canceled." : "");
    return tree.latest;
  };

  const model = { id: "theirs", provider: "foreign" };
  const agent = new Agent({ name: "main", model, streamFn: () => noRequests(), externalTurn: () => take });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  while (at < entries.length) {
    const current = entries[at];
    at += 1;
    if (current?.dir !== ">") continue;
    const { method } = current.msg;
    if (method !== "session/prompt" && method !== "session/load") continue;
    open.push(current);
    await agent.prompt(method === "session/load" ? "load" : promptText(current.msg.params)).catch((error: unknown) => {
      if (!(error instanceof AgentError)) throw error;
    });
  }
  return { events, reported };
}

// biome-ignore lint/correctness/useYield: it makes no requests.
async function* noRequests(): AsyncGenerator<never> {
  throw new Error("An agent of another program makes no request here.");
}

function rootSession(entries: readonly Entry[]): string {
  for (const { msg } of entries) {
    const known =
      z.object({ sessionId: z.string() }).safeParse(msg.result).data ??
      (msg.method === "session/load" ? z.object({ sessionId: z.string() }).safeParse(msg.params).data : undefined);
    if (known !== undefined) return known.sessionId;
  }
  return "none";
}

function promptText(params: unknown): string {
  const prompt = z.object({ prompt: z.array(z.object({ text: z.string() })) }).safeParse(params).data?.prompt ?? [];
  return prompt.map(({ text }) => text).join("\n") || "nothing";
}

export function treeOf(events: readonly AgentEvent[]): AgentTree {
  return foldTree(emptyTree(), events);
}

/** A tree as lines, with what somebody wrote as its length and a hash of it. */
export function treeLines({ nodes, roots }: AgentTree, reported: ReadonlyMap<string, Reported>): string[] {
  const lines: string[] = [];
  const add = (nodeId: string, indent: string) => {
    const node = nodes[nodeId];
    if (node === undefined) return;
    lines.push(`${indent}${nodeLine(node, reported.get(nodeId))}`);
    for (const message of node.messages) lines.push(`${indent}  ${messageLine(message, node)}`);
    for (const child of node.children) add(child, `${indent}    `);
  };
  for (const root of roots) add(root, "  ");
  return lines;
}

function nodeLine({ meta, status, own, contextTokens, contextPercent, error }: TreeNode, reported?: Reported): string {
  const { input, output, cacheRead, cacheWrite, reasoning, cost } = own;
  const figures = `in ${input} out ${output} read ${cacheRead} write ${cacheWrite} think ${reasoning}`;
  return [
    `${meta.name}${meta.label === undefined ? "" : ` ${shown(meta.label)}`}: ${status}`,
    reported?.tokens === true ? figures : "tokens not reported",
    reported?.cost === true ? `$${cost.toFixed(6)}` : "cost not reported",
    `context ${contextTokens} ${contextPercent} %`,
    ...(error === undefined ? [] : [`error ${error.code}`]),
  ].join(", ");
}

function messageLine(message: AgentMessage, { tools }: TreeNode): string {
  if (message.role === "assistant") {
    const parts = message.content.map((part) => {
      if (part.type !== "toolCall") return `${part.type} ${shown(part.text)}`;
      return `${part.name} ${shown(JSON.stringify(part.arguments))} ${tools[part.id]?.status ?? "?"}`;
    });
    return `assistant (${message.stopReason}): ${parts.join(", ")}`;
  }
  if (message.role === "toolResult") {
    const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return `result of ${message.toolName}${message.isError ? " (error)" : ""}: ${shown(text)}`;
  }
  if (message.role === "user") {
    return `user: ${shown(message.content.map((part) => (part.type === "text" ? part.text : "")).join(""))}`;
  }
  return message.role;
}

function shown(text: string): string {
  return `${text.length}#${createHash("sha256").update(text).digest("hex").slice(0, 6)}`;
}
