import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import type { ModelAccess } from "../../../src/extension/models/modelAccess.ts";
import { summaryRequestStart } from "../../../src/extension/prompts/agentPrompts.ts";
import { type RecordedRequest, type Reply, type ScriptedCall, scriptedModel } from "../../support/scriptedModel.ts";

/** What the model answers to each agent, in turn, and to the request for a summary. */
export interface AgentScript {
  main: readonly Reply[];
  /** Of each `explore` that is started, in the order of their first requests. */
  explore?: readonly (readonly Reply[])[];
  summary?: string;
}

/** For one task: a model that does it well, and one that does it badly as models typically do. */
export interface TaskScripts {
  well: AgentScript;
  badly: AgentScript;
  /** What the grader finds of the bad one. */
  found: RegExp;
}

export const say = (text: string): Reply => ({ text });
export const act = (...calls: ScriptedCall[]): Reply => ({ calls });
export const first = (text: string, ...calls: ScriptedCall[]): Reply => ({ text, calls });
export const read = (path: string): ScriptedCall => ({ name: "read_file", args: { path } });
export const list = (): ScriptedCall => ({ name: "list_files" });
export const search = (query: string): ScriptedCall => ({ name: "search_text", args: { query } });
export const run = (command: string): ScriptedCall => ({ name: "run_command", args: { command } });
export const write = (path: string, content: string): ScriptedCall => ({ name: "write_file", args: { path, content } });
export const remove = (path: string): ScriptedCall => ({ name: "delete_file", args: { path } });
export const move = (path: string, to: string): ScriptedCall => ({ name: "move_file", args: { path, to } });
export const ask = (question: string): ScriptedCall => ({ name: "ask_user", args: { question } });

/** Replacements of one file: each a pair of the old text and the new one. */
export const edit = (path: string, ...pairs: readonly (readonly [string, string])[]): ScriptedCall => ({
  name: "edit_file",
  args: { path, edits: pairs.map(([old_text, new_text]) => ({ old_text, new_text })) },
});

/** Replaces a text everywhere in one file. */
export const editAll = (path: string, old_text: string, new_text: string): ScriptedCall => ({
  name: "edit_file",
  args: { path, edits: [{ old_text, new_text, replace_all: true }] },
});

const usage = { input: 400, cacheRead: 1_600, output: 50, cost: 0.002 };

/** Plays a script as the only model there is, at the price of a small one. With `usesPatches` it edits by patches. */
export function scriptedModels(script: AgentScript, { usesPatches = false } = {}): ModelAccess {
  const explorers: string[] = [];
  const asked = new Map<string, number>();
  const next = (who: string, replies: readonly Reply[]): Reply => {
    const index = asked.get(who) ?? 0;
    asked.set(who, index + 1);
    const reply = replies[index];
    if (reply === undefined) throw new Error(`The script of ${who} has no reply number ${index + 1}.`);
    return { usage, ...reply };
  };
  const { model, streamFn } = scriptedModel((request) => {
    if (isSummaryRequest(request)) {
      return { usage, text: script.summary ?? "Nothing of note." };
    }
    if (!request.systemPrompt.includes("You find things out in the workspace")) return next("main", script.main);
    const task = briefOf(request);
    if (!explorers.includes(task)) explorers.push(task);
    const which = explorers.indexOf(task);
    return next(`explore ${which + 1}`, script.explore?.[which] ?? []);
  });
  return {
    streamFn,
    mainModel: () => ({ ...model, contextWindow: 200_000 }),
    subAgentModel: () => undefined,
    named: () => undefined,
    usesPatches: () => usesPatches,
    describe: ({ id }) => ({ id, label: id, isDemo: false, hasPrice: true }),
  };
}

/** At the end of the conversation, or with its text alone. */
function isSummaryRequest({ systemPrompt, messages }: RecordedRequest): boolean {
  const last = messages.at(-1);
  const isLast = last !== undefined && textOf(last).includes(summaryRequestStart);
  return isLast || systemPrompt.startsWith("You summarize the work");
}

/** What an explorer was asked to do. */
function briefOf({ messages }: RecordedRequest): string {
  return JSON.stringify(messages.find(({ role }) => role === "user")?.content);
}
