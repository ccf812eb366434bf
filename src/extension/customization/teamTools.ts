import * as z from "zod";
import type { AgentOptions } from "../../agent/agent/agentOptions.ts";
import { refusedTarget, runChild } from "../../agent/delegation/runChild.ts";
import { type AgentTool, defineTool, type ToolContext } from "../../agent/index.ts";
import { createWaits, type Waits } from "../../agent/team/ask.ts";
import { targetShape } from "../../agent/team/teamTools.ts";
import type { AgentMessage } from "../../agent/vocabulary/messages.ts";
import type { SubAgent } from "../../agent/vocabulary/tools.ts";
import type { Usage } from "../../agent/vocabulary/usage.ts";
import { SerialQueue } from "../common/serialQueue.ts";
import type { CustomAgent } from "./agentFile.ts";

/** A team as an agent that work can be handed to: it leads the others, who keep what they know. */
export interface CustomTeam extends CustomAgent {
  workers: readonly CustomAgent[];
}

export function isTeam(agent: CustomAgent): agent is CustomTeam {
  return "workers" in agent;
}

/** What a worker knows and has spent, from one question to the next. */
interface KeptWorker {
  readonly id: string;
  messages: readonly AgentMessage[];
  usage: Usage | undefined;
  /** One question at a time. */
  readonly turns: SerialQueue;
}

/** The workers of a chat's teams: as long as the chat is open they keep what they know. */
export class TeamMemory {
  readonly waits: Waits = createWaits();
  readonly #workers = new Map<string, KeptWorker>();

  worker(team: string, name: string): KeptWorker {
    const key = JSON.stringify([team, name]);
    const known = this.#workers.get(key) ?? {
      id: crypto.randomUUID(),
      messages: [],
      usage: undefined,
      turns: new SerialQueue(),
    };
    this.#workers.set(key, known);
    return known;
  }
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
      name: "ask_agent",
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
    const kept = memory.worker(team.name, worker.name);
    const endWait = memory.waits.begin(context.agent.id, kept.id);
    try {
      return await kept.turns.run(() => answer(kept, { worker, question, isReset: reset_context === true }, context));
    } finally {
      endWait();
    }
  }

  async function answer(
    kept: KeptWorker,
    o: { worker: CustomTeam["workers"][number]; question: string; isReset: boolean },
    context: ToolContext,
  ) {
    context.signal.throwIfAborted();
    if (o.isReset) kept.messages = [];
    let child: SubAgent | undefined;
    const watched: ToolContext = {
      ...context,
      subAgents: {
        create(options) {
          child = context.subAgents.create(options);
          return child;
        },
      },
    };
    const options = {
      ...optionsOf(o.worker),
      ...{ id: kept.id, messages: [...kept.messages] },
      ...(kept.usage !== undefined && { usage: kept.usage }),
    };
    try {
      return (await runChild(watched, options, o.question)).result;
    } finally {
      // Also what it found before it was stopped.
      if (child !== undefined) {
        kept.messages = child.messages;
        kept.usage = child.ownUsage;
      }
    }
  }
}
