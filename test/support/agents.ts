import * as z from "zod";
import { Agent } from "../../src/agent/agent/agent.ts";
import type { AgentOptions } from "../../src/agent/agent/agentOptions.ts";
import type { RunResult } from "../../src/agent/loop/runTypes.ts";
import { eventLines } from "../../src/agent/testing/recording.ts";
import type { AgentEvent, EventStream } from "../../src/agent/vocabulary/events.ts";
import { type AgentMessage, type ToolResult, textOf } from "../../src/agent/vocabulary/messages.ts";
import type { RetryClock } from "../../src/agent/vocabulary/retries.ts";
import { type AgentTool, defineTool, type ToolContext } from "../../src/agent/vocabulary/tools.ts";
import { type Script, type ScriptedModel, scriptedModel } from "./scriptedModel.ts";

export type EventOf<T extends AgentEvent["type"]> = Extract<AgentEvent, { type: T }>;

export interface Recorded {
  agent: Agent;
  /** All events of the agent and its descendants, in order. */
  events: AgentEvent[];
  requests: ScriptedModel["requests"];
  model: ScriptedModel;
}

/** An agent on a scripted model, with everything it emits. */
export function recordedAgent(script: Script, options: Partial<AgentOptions> = {}): Recorded {
  const model = scriptedModel(script, options.model);
  const agent = new Agent({ name: "main", model: model.model, streamFn: model.streamFn, ...options });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  return { agent, events, requests: model.requests, model };
}

type Execute = (args: Record<string, unknown>, context: ToolContext) => ReturnType<AgentTool["execute"]>;

/** A tool that takes any object. */
export function tool(name: string, execute: Execute | ToolResult | string = "ok", more: Partial<AgentTool> = {}) {
  const run: Execute = typeof execute === "function" ? execute : () => execute;
  return defineTool({ name, description: name, schema: z.record(z.string(), z.unknown()), ...more, execute: run });
}

/** A clock by which every wait is over at once. */
export const noWaits: RetryClock = { random: () => 0, wait: async () => {} };

export function ofType<T extends AgentEvent["type"]>(events: readonly AgentEvent[], type: T): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type);
}

/** Event types in order, without deltas and usage. */
export function typesOf(events: readonly AgentEvent[]): string[] {
  return events.map((event) => event.type).filter((type) => type !== "message_update" && type !== "usage");
}

export const story = eventLines;

/** Resolves with the first event that matches, from now on. */
export function seen(agent: Agent, matches: (event: AgentEvent) => boolean): Promise<AgentEvent> {
  return new Promise((resolve) => {
    const unsubscribe = agent.subscribe((event) => {
      if (!matches(event)) return;
      unsubscribe();
      resolve(event);
    });
  });
}

export function seenType(agent: Agent, type: AgentEvent["type"]): Promise<AgentEvent> {
  return seen(agent, (event) => event.type === type);
}

export async function collect(
  stream: EventStream<AgentEvent, RunResult>,
): Promise<{ events: AgentEvent[]; result: RunResult }> {
  const events: AgentEvent[] = [];
  for await (const event of stream) events.push(event);
  return { events, result: await stream.result };
}

/** Each message as "role: text". */
export function said(messages: readonly AgentMessage[]): string[] {
  return messages.map((message) => `${message.role}: ${textOf(message)}`);
}

/** The results of tools in a transcript, as text. */
export function results(messages: readonly AgentMessage[]): string[] {
  return messages.filter((message) => message.role === "toolResult").map(textOf);
}

/** Something to wait for that a test opens. */
export function gate<T = void>(): { opened: Promise<T>; open: (value: T) => void } {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { opened: promise, open: resolve };
}

/** A promise that settles when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
