import { Agent, AgentRegistry, delegationTools, type Toolbox, userMessage } from "../../../src/agent/index.ts";
import { createProvider } from "../../../src/agent/providers/shared/provider.ts";
import { timing } from "../../../src/agent/providers/shared/retry.ts";
import type { Model, StreamFn } from "../../../src/agent/vocabulary/model.ts";
import { modeNote, planModeHooks, withNotes } from "../../../src/extension/approvals/planMode.ts";
import { EventLog } from "../../../src/extension/chat/log/eventLog.ts";
import { ChatNotices } from "../../../src/extension/chat/notices.ts";
import { ChatRuns } from "../../../src/extension/chat/runs/chatRuns.ts";
import {
  agentOptions,
  isOffered,
  mainAgent,
  offeredAgents,
  registerAgents,
} from "../../../src/extension/customization/agents.ts";
import { preferredEditTool } from "../../../src/extension/models/modelTable.ts";
import { environmentText } from "../../../src/extension/prompts/contextBlocks.ts";
import { createReadVersions, editorTools, isEditorTool, planToolNames } from "../../../src/extension/tools/index.ts";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import { wires } from "../../agent/providers/support.ts";
import type { StreamReply, WireName } from "../fakeProvider/script.ts";
import { type FakeProvider, startFakeProvider } from "../fakeProvider/startFakeProvider.ts";
import { memoryWorkspace } from "../memoryWorkspace.ts";
import { scriptedReview } from "../scriptedReview.ts";

/** What the user and the model do in a chat, in order. */
export interface Scenario {
  name: string;
  files: Record<string, string>;
  /** How long the user takes to answer a proposed edit. */
  reviewMs?: number;
  steps(wire: WireName): readonly ScenarioStep[];
}

type ScenarioStep =
  | { say: string; answers: readonly StreamReply[] }
  /** The user chooses or leaves plan mode. */
  | { planning: boolean }
  /** The user has the context summarized. */
  | { summary: string };

/** A request as it went out. */
export interface SentRequest {
  wire: WireName;
  /** On the simulated clock. */
  atMs: number;
  /** The whole body. */
  body: string;
}

/** A current model of each wire's own maker: it thinks, and its requests have every field that there is. */
const models: Record<WireName, Model> = {
  anthropic: { id: "claude-opus-5-5", provider: "anthropic", contextWindow: 200_000 },
  responses: { id: "gpt-6-astra", provider: "openai", contextWindow: 200_000 },
  chat: { id: "gpt-6-astra", provider: "openai-chat", contextWindow: 200_000 },
};

/** What a request and its answer take on the simulated clock. */
const requestMs = 15_000;

/**
 * Plays a scenario with the product's own prompts, tools, delegation and compaction over the adapter of a wire. Requests
 * are written as for the maker's own server, and answered by the fake one.
 */
export async function sentRequests(wire: WireName, scenario: Scenario): Promise<SentRequest[]> {
  const server = await startFakeProvider();
  const chat = chatOverWire(wire, server, scenario);
  try {
    for (const step of scenario.steps(wire)) {
      if ("planning" in step) {
        chat.mode.isPlanning = step.planning;
      } else if ("summary" in step) {
        await server.script({ steps: [{ text: step.summary }] });
        await chat.runs.compact();
      } else {
        await server.script(...step.answers);
        const { reason, error } = await chat.say(step.say);
        if (reason !== "done") throw new Error(`"${step.say}" ended with ${reason}: ${error?.message}`);
      }
    }
    return chat.sent;
  } finally {
    await chat.agent.dispose();
    await server.stop();
  }
}

function chatOverWire(wire: WireName, server: FakeProvider, { files, reviewMs = 0 }: Scenario) {
  const clock = { nowMs: 0 };
  const sent: SentRequest[] = [];
  const mode = { isPlanning: false };
  const model = models[wire];
  const tools = editorTools(
    toolDependencies(files, () => (clock.nowMs += reviewMs)),
    {
      patches: preferredEditTool(model.id) === "apply_patch",
    },
  );
  const { runs, emit } = chatRuns(clock);
  const registry = new AgentRegistry();
  let delegation: Toolbox | undefined;
  registerAgents(registry, {
    tools,
    isPlanning: () => mode.isPlanning,
    each: () => ({ ...runs.subAgentParts(), ...(delegation !== undefined && { delegation }) }),
  });
  const directory = offeredAgents(registry, (name) => isOffered(name, []));
  const agent = runs.withRoot(
    (parts) =>
      new Agent({
        ...agentOptions(mainAgent, { tools }),
        hooks: planModeHooks(() => mode.isPlanning, planToolNames, { isEditorTool }),
        model,
        thinkingLevel: "medium",
        streamFn: streamTo(wire, server, { clock, sent }),
        registry: directory,
        sessionId: "chat-1",
        maxDepth: 3,
        ...parts,
      }),
  );
  delegation = delegationTools({ agent, registry: directory, onError: "collect" });
  agent.addToolboxes(delegation);
  agent.subscribe((event) => emit(event));

  return {
    ...{ agent, runs, sent, mode },
    say(words: string) {
      const { messages, systemPrompt } = agent.state;
      const isFirst = messages.length === 0;
      const notes = [isFirst ? environment : undefined, modeNote({ messages, systemPrompt }, mode.isPlanning)];
      return agent.prompt(withNotes(userMessage(words), notes));
    },
  };
}

/** The adapter, as it would speak to the maker's own server; what it caches lasts, since answers may wait for the user. */
function streamTo(
  wire: WireName,
  server: FakeProvider,
  { clock, sent }: { clock: { nowMs: number }; sent: SentRequest[] },
): StreamFn {
  const fetch: typeof globalThis.fetch = (url, init) => {
    sent.push({ wire, atMs: clock.nowMs, body: String(init?.body) });
    clock.nowMs += requestMs;
    const { pathname } = new URL(String(url));
    return globalThis.fetch(server.url + pathname, init);
  };
  const stream = createProvider(wires[wire], { apiKey: "key", fetch, maxRetries: 0 }, timing);
  return (model, request, options) => stream(model, request, { cacheLifetime: "long", ...options });
}

function toolDependencies(files: Record<string, string>, whileOpen: () => void) {
  const workspace = memoryWorkspace({ files });
  const unused = () => Promise.reject(new Error("Not part of any scenario."));
  return {
    workspace,
    review: scriptedReview(workspace, { whileOpen: async () => whileOpen() }),
    reads: createReadVersions(),
    agentPath: () => ["main"],
    // Offered, as they are in every chat.
    commands: {
      ...{ commands: undefined, outputs: undefined, askPermission: unused, folder: unused },
      shell: "bash on Linux",
    } as never,
    panel: { showPlan: () => undefined, ask: unused },
  };
}

function chatRuns(clock: { nowMs: number }) {
  const log = new EventLog();
  const emit = (event: HostEvent) => void log.appendHost(event);
  const host = {
    get host() {
      return log.host;
    },
    emit,
  };
  const runs = new ChatRuns(
    { log, notices: new ChatNotices(host), emit, wake: () => {}, own: () => {} },
    {
      compactionThreshold: () => 0.8,
      defaultBudget: () => ({}),
      agentPath: () => ["main"],
      filesSeenBy: () => [],
      observe: () => {},
      now: () => clock.nowMs,
      newId: () => "question",
    },
  );
  return { runs, emit: (event: Parameters<EventLog["appendAgent"]>[0]) => void log.appendAgent(event) };
}

const environment = environmentText({
  date: "2026-11-02",
  system: "Linux 6.8, x64",
  shell: "bash",
  folders: [
    {
      ...{ name: "shop", path: "/home/user/shop", omitted: 0, isReadOnly: false },
      entries: ["README.md", "package.json", "src/", "test/"],
    },
  ],
  git: { branch: "main", changedFiles: 0, commits: ["Add the cart", "Add prices", "Begin"] },
  isTrusted: true,
});
