import * as z from "zod";
import { findAgentsMd } from "../context/agentsMd.ts";
import { extendSystemPrompt } from "../context/prompt.ts";
import type { Skill } from "../context/skills.ts";
import { AgentError } from "../vocabulary/errors.ts";
import type { Model } from "../vocabulary/model.ts";
import { Toolbox } from "../vocabulary/toolbox.ts";
import { type AgentTool, defineTool } from "../vocabulary/tools.ts";
import type { Team } from "./team.ts";
import { findTarget, targetShape } from "./teamTools.ts";

export interface OrchestratorToolsOptions {
  /** What spawned agents may be given, besides the team tools that all have. */
  grantableTools: AgentTool[];
  grantableSkills: Skill[];
  models: Model[];
  /** Where the AGENTS.md is looked for that spawned agents are told of. */
  cwd?: string;
}

/** What the one agent can do that leads a team: create its members and end them. */
export function orchestratorTools(team: Team, options: OrchestratorToolsOptions): Toolbox {
  return new Toolbox("orchestrator", [
    spawnAgentTool(team, options),
    defineTool({
      name: "destroy_agent",
      description: "Ends an agent of the team for good.",
      label: "Destroy agent",
      schema: z.object(targetShape),
      async execute(target, { agent: self }) {
        const { id } = findTarget(team, target);
        if (id === self.id) throw new AgentError("bad_input", "An agent cannot destroy itself.");
        await team.destroy(id);
        return `The agent ${id} was destroyed.`;
      },
    }),
    defineTool({
      name: "interrupt_agent",
      description: "Stops what an agent of the team is doing. It stays in the team.",
      label: "Interrupt agent",
      schema: z.object(targetShape),
      async execute(target, { agent: self }) {
        const { id } = findTarget(team, target);
        // An agent that waited for its own end would never see it.
        if (id === self.id) throw new AgentError("bad_input", "An agent cannot interrupt itself.");
        await team.interrupt(id);
        return `The agent ${id} was interrupted.`;
      },
    }),
    defineTool({
      name: "list_models",
      description: "Lists the models that agents can be spawned with.",
      label: "List models",
      schema: z.object({}),
      execute(_args, { agent: self }) {
        const mine = team.whereis(self.id)?.info().model ?? self.model;
        return JSON.stringify(options.models.map((model) => ({ ...model, current: model.id === mine })));
      },
    }),
  ]);
}

function spawnAgentTool(team: Team, options: OrchestratorToolsOptions): AgentTool {
  return defineTool({
    name: "spawn_agent",
    description: "Creates an agent and adds it to the team. Answers with its id.",
    label: "Spawn agent",
    schema: z.object({
      type: z.string(),
      name: z.string(),
      description: z.string(),
      system_prompt: z.string(),
      provider: z.string(),
      model_id: z.string(),
      base_url: z.string().optional(),
      tools: z.array(z.string()).optional(),
      skills: z.array(z.string()).optional(),
    }),
    async execute(args, { agent: self }) {
      const { type, name, description, base_url: baseUrl } = args;
      const known = findModel(options.models, args.provider, args.model_id);
      const projectContext = options.cwd === undefined ? undefined : await findAgentsMd(options.cwd);
      const agent = team.spawn({
        type,
        name,
        description,
        systemPrompt: extendSystemPrompt(args.system_prompt, projectContext === undefined ? {} : { projectContext }),
        model: baseUrl === undefined ? known : { ...known, baseUrl },
        tools: options.grantableTools.filter((tool) => args.tools?.includes(tool.name)),
        skills: options.grantableSkills.filter((skill) => args.skills?.includes(skill.name)),
        delegatorId: self.id,
      });
      return agent.id;
    },
  });
}

export function findModel(models: readonly Model[], provider: string, id: string): Model {
  const model = models.find((known) => known.provider === provider && known.id === id);
  if (model !== undefined) return model;
  const known = models.map((one) => `${one.provider} ${one.id}`).join(", ");
  throw new AgentError("bad_input", `There is no model "${id}" of provider "${provider}". There are: ${known}`);
}
