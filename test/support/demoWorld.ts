import { Agent } from "../../src/agent/agent/agent.ts";
import { AgentRegistry } from "../../src/agent/agent/registry.ts";
import { type AgentTree, emptyTree, reduceTree, type TreeNode } from "../../src/agent/tree.ts";
import type { AgentEvent } from "../../src/agent/vocabulary/events.ts";
import { textOf } from "../../src/agent/vocabulary/messages.ts";
import { modeNotes } from "../../src/extension/approvals/planMode.ts";
import { agentOptions, mainAgent, registerAgents } from "../../src/extension/customization/agents.ts";
import { demoModel, demoStream } from "../../src/extension/demo/demoModel.ts";
import { createReadVersions, editorTools } from "../../src/extension/tools/index.ts";
import { type MemoryWorkspace, type MemoryWorkspaceOptions, memoryWorkspace } from "./memoryWorkspace.ts";
import { type ScriptedReview, type ScriptedReviewOptions, scriptedReview } from "./scriptedReview.ts";

/** The demo model in the product's own agents, over a workspace in memory and a user who answers by script. */
export interface DemoWorld {
  workspace: MemoryWorkspace;
  review: ScriptedReview;
  main: Agent;
  events: AgentEvent[];
  /** Sends a message and resolves with the answer's text. */
  ask(text: string): Promise<string>;
  tree(): AgentTree;
  /** The agents of a name, in the order in which they appeared. */
  agents(name: string): TreeNode[];
}

export interface DemoWorldOptions extends Pick<MemoryWorkspaceOptions, "roots" | "diagnose"> {
  files: Record<string, string>;
  review?: ScriptedReviewOptions;
  /** What results bring beside their own text; by default nothing. */
  note?: string;
  /** How deep agents may delegate; 3 by default. */
  maxDepth?: number;
}

export function demoWorld(options: DemoWorldOptions): DemoWorld {
  const workspace = memoryWorkspace(options);
  const review = scriptedReview(workspace, options.review ?? {});
  const tools = editorTools({ workspace, review, reads: createReadVersions(), agentPath: () => ["main"] });
  const registry = new AgentRegistry();
  registerAgents(registry, { tools });
  const main = new Agent({
    ...agentOptions(mainAgent, { tools }),
    ...(options.note !== undefined && {
      hooks: modeNotes(
        () => false,
        () => options.note,
      ),
    }),
    model: demoModel,
    streamFn: demoStream(),
    registry,
    maxDepth: options.maxDepth ?? 3,
  });
  const events: AgentEvent[] = [];
  main.subscribe((event) => events.push(event));
  const tree = () => events.reduce(reduceTree, emptyTree());
  return {
    workspace,
    review,
    main,
    events,
    tree,
    async ask(text) {
      const { finalMessage, error } = await main.send(text).result;
      if (error !== undefined) throw error;
      return finalMessage === undefined ? "" : textOf(finalMessage);
    },
    agents: (name) => Object.values(tree().nodes).filter((node) => node.meta.name === name),
  };
}
