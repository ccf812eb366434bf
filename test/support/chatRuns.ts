import { Agent, type AgentEvent, type AgentOptions, AgentRegistry, delegationTools } from "../../src/agent/index.ts";
import { EventLog } from "../../src/extension/chat/log/eventLog.ts";
import { ChatNotices } from "../../src/extension/chat/notices.ts";
import { ChatRuns, type ChatRunsDependencies } from "../../src/extension/chat/runs/chatRuns.ts";
import type { HostEvent } from "../../src/protocol/hostEvents.ts";
import { emptyHostState, type HostState, reduceHost } from "../../src/protocol/hostState.ts";
import { type RecordedRequest, type Reply, type Script, scriptedModel, testModel } from "./scriptedModel.ts";

export interface RunsOptions extends Partial<ChatRunsDependencies> {
  main?: Partial<AgentOptions>;
  /** Names of agents that can be delegated to. Each may delegate further. */
  agents?: readonly string[];
  model?: Partial<AgentOptions["model"]>;
  /** What the chat's log holds already. */
  host?: readonly HostEvent[];
}

export interface ArrangedRuns {
  runs: ChatRuns;
  agent: Agent;
  log: EventLog;
  requests: RecordedRequest[];
  events: AgentEvent[];
  hostEvents: HostEvent[];
  host(): HostState;
  /** Resolves with the first host event of this type from now on. */
  seen<Type extends HostEvent["type"]>(type: Type): Promise<Extract<HostEvent, { type: Type }>>;
}

/** Replies by the name of the agent that asks, each list in turn. */
export function byName(scripts: Record<string, readonly Reply[]>): (request: RecordedRequest) => Reply {
  const left = new Map(Object.entries(scripts).map(([name, replies]) => [name, [...replies]]));
  return ({ model }) => {
    const reply = left.get(model.id)?.shift();
    if (reply === undefined) throw new Error(`The script of ${model.id} has no reply left`);
    return reply;
  };
}

/** The runs of a chat whose agents play a script, put together as the extension does it. */
export function arrangedRuns(script: Script, options: RunsOptions = {}): ArrangedRuns {
  const { main, agents = [], model: ofModel, host: earlier = [], ...dependencies } = options;
  const model = { ...testModel, ...ofModel, id: "main" };
  const scripted = scriptedModel(script, model);
  const log = new EventLog();
  const hostEvents: HostEvent[] = [];
  const waiting: { type: string; resolve(event: HostEvent): void }[] = [];
  const emit = (event: HostEvent): void => {
    hostEvents.push(event);
    log.appendHost(event);
    for (const { resolve } of waiting.filter(({ type }) => type === event.type)) resolve(event);
  };
  for (const event of earlier) emit(event);
  let questions = 0;
  const runs = new ChatRuns(
    {
      log,
      notices: new ChatNotices({
        get host() {
          return log.host;
        },
        emit,
      }),
      emit,
      wake: () => {},
      own: () => {},
    },
    {
      compactionThreshold: () => 0.8,
      defaultBudget: () => ({}),
      agentPath: (id) => [events.find(({ agent }) => agent.id === id)?.agent.name ?? id],
      filesSeenBy: () => [],
      observe: () => {},
      now: () => 0,
      newId: () => `question ${++questions}`,
      ...dependencies,
    },
  );
  const registry = new AgentRegistry();
  const agent = runs.withRoot(
    (parts) =>
      new Agent({ name: "main", model: scripted.model, streamFn: scripted.streamFn, registry, ...main, ...parts }),
  );
  const directory = {
    list: () => registry.list(),
    configuration: (name: string) => registry.configuration(name),
    watch: runs.delegationWatch,
  };
  const delegation = delegationTools({ agent, registry: directory, onError: "collect" });
  agent.addToolboxes(delegation);
  for (const name of agents) {
    registry.register({ name, description: name }, () => ({
      ...{ name, tools: [delegation], model: { ...model, id: name } },
      ...runs.subAgentParts(),
    }));
  }
  const events: AgentEvent[] = [];
  agent.subscribe((event) => {
    events.push(event);
    log.appendAgent(event);
  });
  return {
    runs,
    agent,
    log,
    requests: scripted.requests,
    events,
    hostEvents,
    host: () => hostEvents.reduce(reduceHost, emptyHostState()),
    seen: (type) =>
      new Promise((resolve) => {
        // Only events of this type are handed on.
        waiting.push({ type, resolve: resolve as (event: HostEvent) => void });
      }),
  };
}
