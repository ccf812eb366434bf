import * as z from "zod";
import type { AgentOptions } from "../../agent/agent/agentOptions.ts";
import { refusedTarget, runChild } from "../../agent/delegation/runChild.ts";
import { type AgentTool, defineTool, type ToolContext } from "../../agent/index.ts";
import { targetShape } from "../../agent/team/teamTools.ts";
import type { CustomAgent } from "./agentFile.ts";
import { askToolName, type RecalledWorker, type TeamMemory } from "./teamMemory.ts";

/** A team as an agent that work can be handed to: it leads the others, who keep what they know. */
export interface CustomTeam extends CustomAgent {
  workers: readonly CustomAgent[];
}

export function isTeam(agent: CustomAgent): agent is CustomTeam {
  return "workers" in agent;
}

const askSchema = z.object({ ...targetShape, question: z.string().min(1), reset_context: z.boolean().optional() });

/**
 * What the members of a team can do: ask each other, and see who is there. A worker is a sub-agent of who asks it first, so
 * that budgets, approvals and stops hold for it as for all; what it knows is handed on from question to question.
 */
export function memberTools(
  team: CustomTeam,
  memory: TeamMemory,
  optionsOf: (worker: CustomTeam["workers"][number]) => AgentOptions,
): AgentTool[] {
  return [
    defineTool({
      name: askToolName,
      description:
        "Asks another agent of the team, or gives it work, and waits for its answer. It remembers what it was asked before. Several calls at once run in parallel.",
      label: "Ask",
      schema: askSchema,
      execute: (args, context) => ask(args, context),
    }),
    defineTool({
      name: "list_team",
      description: "Lists the other agents of the team.",
      label: "List team",
      schema: z.object({}),
      execute: () => JSON.stringify(team.workers.map(({ name, description }) => ({ name, description }))),
    }),
  ];

  async function ask({ identifier, question, reset_context }: z.infer<typeof askSchema>, context: ToolContext) {
    const worker = team.workers.find(({ name }) => name.toLowerCase() === identifier.toLowerCase());
    if (worker === undefined) {
      const names = team.workers.map(({ name }) => name).join(", ");
      return { content: `There is no agent ${identifier} in the team. There are: ${names}`, isError: true };
    }
    const refusal = refusedTarget(context, worker.name);
    if (refusal !== undefined) return { content: refusal, isError: true };
    return memory.inTurn({ team: team.name, worker: worker.name, askerId: context.agent.id }, (recalled) => {
      context.signal.throwIfAborted();
      return answer(worker, { question, recalled, isReset: reset_context === true }, context);
    });
  }

  async function answer(
    worker: CustomAgent,
    o: { question: string; recalled: RecalledWorker; isReset: boolean },
    context: ToolContext,
  ) {
    const { id, messages, usage } = o.recalled;
    const options = {
      ...optionsOf(worker),
      ...{ id, messages: o.isReset ? [] : messages },
      ...(usage !== undefined && { usage }),
    };
    return (await runChild(context, options, o.question)).result;
  }
}
