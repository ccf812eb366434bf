import * as z from "zod";
import type { Agent } from "../agent/agent.ts";
import { AgentError } from "../vocabulary/errors.ts";
import { Toolbox } from "../vocabulary/toolbox.ts";
import { defineTool } from "../vocabulary/tools.ts";
import type { Delivery, Team } from "./team.ts";

/** How agents name each other. */
export const targetShape = { identifier: z.string().min(1), identifier_type: z.enum(["type", "name", "id"]) };

/** What every member of a team can do: ask, delegate, respond, and see who is there. */
export function teamTools(team: Team, self: { id: string }): Toolbox {
  return new Toolbox("team", [
    defineTool({
      name: "ask_agent",
      description: "Asks another agent of the team a question and waits for its answer.",
      label: "Ask",
      schema: z.object({ ...targetShape, question: z.string(), reset_context: z.boolean().optional() }),
      execute: ({ question, reset_context, ...target }, { signal }) =>
        team.ask(self.id, findTarget(team, target).id, question, signal, deliveryOf(reset_context)),
    }),
    defineTool({
      name: "delegate_task",
      description: "Hands a task to another agent of the team. Returns at once; the response comes as a message.",
      label: "Delegate",
      schema: z.object({ ...targetShape, task: z.string(), reset_context: z.boolean().optional() }),
      execute({ task, reset_context, ...target }) {
        const agent = findTarget(team, target);
        team.delegate(self.id, agent.id, task, deliveryOf(reset_context));
        return `Delegated to ${agent.meta.name ?? agent.id}. End your turn now: the response will come as a message.`;
      },
    }),
    defineTool({
      name: "send_response",
      description: "Sends the response to the task you were given to the agent that delegated it.",
      label: "Respond",
      schema: z.object({ response: z.string() }),
      execute({ response }) {
        team.respond(self.id, response);
        return "The response was sent.";
      },
    }),
    defineTool({
      name: "list_team",
      description: "Lists the agents of the team with what they are doing and what they have used.",
      label: "List team",
      schema: z.object({ verbose: z.boolean().optional() }),
      execute: ({ verbose }) => JSON.stringify(describeTeam(team, verbose === true)),
    }),
  ]);
}

/** The one agent that is meant. Throws when there is none, and when there are several. */
export function findTarget(team: Team, target: { identifier: string; identifier_type: "type" | "name" | "id" }): Agent {
  const { identifier, identifier_type: by } = target;
  const [agent, ...others] = team.find(by, identifier);
  if (agent === undefined) throw new AgentError("bad_input", `There is no agent with the ${by} "${identifier}".`);
  if (others.length === 0) return agent;
  const ids = [agent, ...others].map((one) => one.id).join(", ");
  throw new AgentError("bad_input", `Several agents have the ${by} "${identifier}". Name one by its id: ${ids}`);
}

function deliveryOf(resetContext: boolean | undefined): Delivery {
  return resetContext === undefined ? {} : { resetContext };
}

function describeTeam(team: Team, verbose: boolean): unknown[] {
  return team.list().map(({ id, type, name, description, status, turnIndex, usage, model }) => {
    const member = { id, type, name, description, status, turnIndex, usage };
    if (!verbose) return member;
    return { ...member, tools: team.whereis(id)?.state.tools.map((tool) => tool.name), model };
  });
}
