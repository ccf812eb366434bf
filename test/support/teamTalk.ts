import type { Agent } from "../../src/agent/agent/agent.ts";
import type { Team } from "../../src/agent/team/team.ts";
import type { AgentEvent } from "../../src/agent/vocabulary/events.ts";
import { textOf } from "../../src/agent/vocabulary/messages.ts";
import { call } from "./scriptedModel.ts";

/** How the tools of a team name a member. */
export const named = (identifier: string) => ({ identifier, identifier_type: "name" });
export const ask = (name: string, question = "Why?", more: object = {}) =>
  call("ask_agent", { ...named(name), question, ...more });
export const delegate = (name: string, task: string) => call("delegate_task", { ...named(name), task });
export const respond = (response: string) => call("send_response", { response });

/** The texts of the results of a member's tool calls. */
export function results(agent: Agent): string[] {
  return agent.messages.filter((message) => message.role === "toolResult").map(textOf);
}

/** Of each result of a member's tool calls, whether it is an error. */
export function failures(agent: Agent): boolean[] {
  return agent.messages.flatMap((message) => (message.role === "toolResult" ? [message.isError] : []));
}

/** Resolves once the team has emitted this. */
export function until(team: Team, holds: (event: AgentEvent) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = team.subscribe((event) => {
      if (!holds(event)) return;
      unsubscribe();
      resolve();
    });
  });
}

/** Resolves once no one of the team does anything. */
export async function idle(team: Team): Promise<void> {
  const agents = team.list().map(({ id }) => team.whereis(id));
  while (agents.some((agent) => agent?.status !== "idle")) {
    await Promise.all(agents.map((agent) => agent?.waitForIdle()));
  }
}
