import { Agent } from "../../src/agent/agent/agent.ts";
import { AgentRegistry } from "../../src/agent/agent/registry.ts";
import { delegationTools, type Toolbox, toolDefinition } from "../../src/agent/index.ts";
import {
  agentOptions,
  delegateAgents,
  isOffered,
  mainAgent,
  offeredAgents,
  registerAgents,
} from "../../src/extension/customization/agents.ts";
import { applyPatchTool } from "../../src/extension/tools/applyPatch.ts";
import { createReadVersions, editorTools, type ToolDependencies } from "../../src/extension/tools/index.ts";
import { memoryWorkspace } from "./memoryWorkspace.ts";
import { scriptedModel } from "./scriptedModel.ts";
import { scriptedReview } from "./scriptedReview.ts";

/** What a request of one of the built-in agents holds before any message. */
export interface PromptParts {
  name: string;
  systemPrompt: string;
  /** Each as the provider gets it. */
  tools: { name: string; json: string }[];
}

/** As the library estimates it. */
export function estimatedTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** The prompts and tools of main, explore and edit, as they are in a chat with all tools. */
export async function promptParts(): Promise<PromptParts[]> {
  const requests: PromptParts[] = [];
  for (const { name } of [mainAgent, ...delegateAgents]) requests.push(await partsOf(name));
  return requests;
}

async function partsOf(name: string): Promise<PromptParts> {
  const tools = editorTools(toolDependencies());
  const registry = new AgentRegistry();
  const call = { name: "delegate_to_agent", args: { agent: name, task: "task", context: "" } };
  const model = scriptedModel(
    name === mainAgent.name ? [{ text: "" }] : [{ calls: [call] }, { text: "" }, { text: "" }],
  );
  let delegation: Toolbox | undefined;
  const each = () => ({ effects: [], middleware: [], ...(delegation !== undefined && { delegation }) });
  registerAgents(registry, { tools, each });
  const watched = {
    list: () => registry.list(),
    configuration: (agent: string) => registry.configuration(agent),
    watch: { onBudget: () => {} },
  };
  const directory = offeredAgents(watched, (agent) => isOffered(agent, []));
  const main = new Agent({
    ...agentOptions(mainAgent, { tools }),
    model: { id: "model", provider: "test" },
    streamFn: model.streamFn,
    registry: directory,
    maxDepth: 3,
  });
  delegation = delegationTools({ agent: main, registry: directory, onError: "collect" });
  main.addToolboxes(delegation);
  await main.prompt("go");
  const request = model.requests[name === mainAgent.name ? 0 : 1];
  if (request === undefined) throw new Error(`${name} sent no request.`);
  return {
    name,
    systemPrompt: request.systemPrompt,
    tools: request.tools.map((tool) => ({ name: tool.name, json: JSON.stringify(tool) })),
  };
}

/** The tool that some models have in place of edit_file. */
export function patchTool(): { name: string; json: string } {
  const tool = applyPatchTool.create(toolDependencies());
  return { name: tool.name, json: JSON.stringify(toolDefinition(tool)) };
}

function toolDependencies(): ToolDependencies {
  const workspace = memoryWorkspace();
  const unused = () => Promise.reject(new Error("Nothing is called."));
  return {
    workspace,
    review: scriptedReview(workspace),
    reads: createReadVersions(),
    agentPath: () => ["main"],
    commands: {
      commands: undefined,
      outputs: undefined,
      askPermission: unused,
      folder: unused,
      shell: "bash on Linux",
    } as never,
    panel: { showPlan: () => undefined, ask: unused },
  };
}
