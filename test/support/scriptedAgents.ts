import * as z from "zod";
import { Agent } from "../../src/agent/agent/agent.ts";
import type { AgentOptions } from "../../src/agent/agent/agentOptions.ts";
import { Team } from "../../src/agent/team/team.ts";
import type { AgentEvent } from "../../src/agent/vocabulary/events.ts";
import { type LlmMessage, textOf } from "../../src/agent/vocabulary/messages.ts";
import { type AgentTool, defineTool } from "../../src/agent/vocabulary/tools.ts";
import {
  type RecordedRequest,
  type Reply,
  type Script,
  type ScriptedModel,
  scriptedModel,
  testModel,
} from "./scriptedModel.ts";

export interface TestAgent extends ScriptedModel {
  agent: Agent;
  events: AgentEvent[];
}

/** An agent on a scripted model, with everything it emits. Only one with a name has a system prompt that is built. */
export function testAgent(script: Script, options: Partial<AgentOptions> = {}): TestAgent {
  const scripted = scriptedModel(script);
  const prompt = options.name === undefined ? { systemPrompt: "" } : {};
  const agent = new Agent({ model: scripted.model, streamFn: scripted.streamFn, ...prompt, ...options });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  return Object.assign(scripted, { agent, events });
}

/** A tool that answers with a text and takes anything. */
export function echoTool(name = "echo", answer = "echoed"): AgentTool {
  return defineTool({ name, description: `The tool ${name}.`, schema: z.looseObject({}), execute: () => answer });
}

/** What a request showed the model, a text per message. */
export function shown(request: { messages: readonly LlmMessage[] } | undefined): string[] {
  return (request?.messages ?? []).map(textOf);
}

export interface TestTeam {
  team: Team;
  events: AgentEvent[];
  requests: RecordedRequest[];
  /** Adds a member whose replies are the ones scripted under its name. */
  member(name: string, more?: { delegatorId?: string; type?: string; tools?: AgentTool[] }): Agent;
}

/** A team whose members each play the replies under their name. */
export function testTeam(scripts: Record<string, Reply[]>): TestTeam {
  const used = new Map<string, number>();
  const scripted = scriptedModel((request) => {
    const name = request.systemPrompt.split("\n")[0] ?? "";
    const index = used.get(name) ?? 0;
    used.set(name, index + 1);
    const reply = scripts[name]?.[index];
    if (reply === undefined) throw new Error(`The script of ${name} has no reply number ${index + 1}`);
    return reply;
  });
  const team = new Team({ streamFn: scripted.streamFn });
  const events: AgentEvent[] = [];
  team.subscribe((event) => events.push(event));
  return {
    team,
    events,
    requests: scripted.requests,
    member: (name, more = {}) =>
      team.spawn({ type: "worker", name, description: `The ${name}.`, systemPrompt: name, model: testModel, ...more }),
  };
}
