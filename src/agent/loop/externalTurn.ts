import { abortedError, leaveLate } from "../vocabulary/abort.ts";
import { AgentError, errorText } from "../vocabulary/errors.ts";
import type { AgentMeta, EndReason } from "../vocabulary/events.ts";
import type {
  ExternalAgent,
  ExternalChild,
  ExternalEvent,
  ExternalTurn,
  ReportedContext,
  TakeTurn,
} from "../vocabulary/externalTurn.ts";
import type { AgentMessage, AssistantMessage } from "../vocabulary/messages.ts";
import { copyPlain, freezePlain } from "../vocabulary/plainJson.ts";
import { type AgentTool, toolDefinition } from "../vocabulary/tools.ts";
import { emptyUsage, type Usage } from "../vocabulary/usage.ts";
import { AgentNode } from "./agentNode.ts";
import { addMessage, type RunState, stopOf } from "./runState.ts";
import { agentEnd, defaultAbortGraceMs } from "./runTypes.ts";
import { hookQueue, runOutsideCall } from "./toolBatch.ts";
import { errorResult, resultMessage } from "./toolResult.ts";
import type { Turn } from "./turn.ts";

/** One agent of another program, with its place in the tree. */
class ExternalNode implements ExternalAgent {
  readonly #node: AgentNode;
  readonly #onMessage: (message: AgentMessage) => void;
  readonly #children = new Set<ExternalNode>();
  #isOpen = true;
  #messages: AgentMessage[] = [];

  constructor(node: AgentNode, onMessage: (message: AgentMessage) => void) {
    this.#node = node;
    this.#onMessage = onMessage;
  }

  get meta(): AgentMeta {
    return this.#node.meta;
  }

  emit(event: ExternalEvent): void {
    if (this.#isOpen) this.#node.emit(event);
  }

  add(message: AgentMessage): void {
    if (!this.#isOpen) return;
    freezePlain(message);
    this.#messages.push(message);
    this.#onMessage(message);
  }

  reportUsage(delta: Partial<Usage>, context?: ReportedContext): void {
    if (this.#isOpen) this.#node.addReportedUsage({ ...emptyUsage(), ...delta }, context);
  }

  createChild({ name, label, toolCallId }: ExternalChild): ExternalAgent {
    if (!this.#isOpen) throw new AgentError("scope_closed", "This agent has ended.");
    const { id: parentId, prefix, depth, model } = this.meta;
    const node = new AgentNode({
      meta: {
        ...{ id: crypto.randomUUID(), name, prefix, depth: depth + 1, parentId },
        ...(label !== undefined && { label }),
        ...(toolCallId !== undefined && { toolCallId }),
        ...(model !== undefined && { model }),
      },
      session: this.#node.session,
      parent: this.#node,
    });
    const child = new ExternalNode(node, (message) => node.emit({ type: "message_end", message }));
    this.#children.add(child);
    node.beginRun();
    node.emit({ type: "agent_start" });
    return child;
  }

  resume({ name, label }: Partial<ExternalChild> = {}): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#messages = [];
    this.#node.meta = {
      ...this.meta,
      ...(name !== undefined && { name }),
      ...(label !== undefined && { label }),
    };
    this.#node.beginRun();
    this.#node.emit({ type: "agent_start" });
  }

  end(reason: EndReason, error?: AgentError): void {
    if (!this.#isOpen) return;
    this.endChildren(error);
    this.#isOpen = false;
    const finalMessage = this.#messages.findLast((message) => message.role === "assistant");
    this.#node.emit(
      agentEnd({
        ...{ reason, messages: this.#messages, usage: this.#node.runUsage },
        ...(finalMessage !== undefined && { finalMessage }),
        ...(error !== undefined && { error }),
      }),
    );
  }

  /** Those that did not end are aborted. */
  endChildren(error = new AgentError("aborted", "The agent that it worked for has ended.")): void {
    for (const child of this.#children) child.end("aborted", error);
  }

  /** The run goes on without it. */
  close(): void {
    this.endChildren();
    this.#isOpen = false;
  }
}

/** The turn of a run that another program takes. Throws where it failed; then its messages stay. */
export async function takeExternalTurn(
  state: RunState,
  { index, iteration, offered }: Pick<Turn, "index" | "iteration"> & { offered: readonly AgentTool[] },
  take: TakeTurn,
): Promise<Turn> {
  const { node, signal, config } = state;
  const agent = new ExternalNode(node, (message) => addMessage(state, message));
  const listening = new Set<() => void>();
  const onSteering: ExternalTurn["onSteering"] = (listener) => {
    const takeQueued = () => {
      const taken = state.drain("steering").map((message) => copyPlain(message));
      for (const message of taken) {
        node.emit({ type: "message_start", message });
        addMessage(state, message);
      }
      return taken;
    };
    const remove = node.listeners.add((event) => {
      if (event.type !== "queue_update" || event.delivered !== undefined || event.steering === 0) return;
      // Not within the event that says so: it has not reached everybody.
      queueMicrotask(() => listening.has(remove) && listener(takeQueued));
    }, node.meta.id);
    listening.add(remove);
  };
  let message: AssistantMessage | undefined;
  let failure: unknown;
  const { earlier, prompts } = splitUnsent(state.context.messages);
  const shown = offered.filter(state.isOffered);
  const over = new AbortController();
  const calls = new Set<Promise<unknown>>();
  const hooks = hookQueue();
  // A hook or a tool has ended the work.
  let isLastCall = false;
  const callTool: ExternalTurn["callTool"] = async (call, withdrawn) => {
    const refused = (text: string) => resultMessage({ call, result: errorResult(text), isError: true });
    // Of a program that was left behind: the run may have ended, and emits nothing more.
    if (over.signal.aborted) return refused(errorText(over.signal.reason));
    if (isLastCall) return refused("No call is run any more: the work was ended.");
    const signal = AbortSignal.any([withdrawn, over.signal]);
    const running = runOutsideCall(state, { call, tools: shown, signal, hooks });
    calls.add(running);
    try {
      const { message: result, isTerminated, fatal } = await running;
      if (fatal !== undefined) failure ??= new AgentError("fatal_tool", fatal.message, { cause: fatal });
      isLastCall ||= isTerminated || fatal !== undefined;
      return result;
    } catch (error) {
      // What it had said before could not be stored.
      failure ??= error;
      isLastCall = true;
      return refused(`The call was not run: ${errorText(error)}`);
    } finally {
      calls.delete(running);
    }
  };
  const tools = shown.map(toolDefinition);
  const { systemPrompt } = state.context;
  const own = { agent, prompts, earlier, signal, stop: stopOf(state) };
  const turn = async () => take({ ...own, systemPrompt, tools, callTool, onSteering });
  const taking = turn().then(
    (answer) => {
      message = answer;
    },
    (error: unknown) => {
      failure = error ?? new Error("unknown error");
    },
  );
  await leaveLate(taking, signal, config.abortGraceMs ?? defaultAbortGraceMs);
  // What its model called and it did not wait for.
  over.abort(new AgentError("aborted", "The turn has ended."));
  await Promise.allSettled(calls);
  for (const remove of listening) remove();
  listening.clear();
  agent.close();
  if (signal.aborted) throw abortedError(signal);
  if (failure instanceof AgentError) throw failure;
  if (failure !== undefined) throw new AgentError("provider", errorText(failure), { cause: failure });
  // Its calls have run: nothing is left to be done for it.
  const last = message ?? nothing(state);
  return { index, iteration, message: { ...last, stopReason: "stop" }, toolResults: [] };
}

/** The prompts are the messages after the latest answer, or after the latest result of one of its calls. */
function splitUnsent(messages: readonly AgentMessage[]): Pick<ExternalTurn, "earlier" | "prompts"> {
  const last = messages.findLastIndex(({ role }) => role === "assistant" || role === "toolResult");
  return { earlier: messages.slice(0, last + 1), prompts: messages.slice(last + 1) };
}

function nothing({ model }: RunState): AssistantMessage {
  const { id, provider } = model;
  return {
    ...{ role: "assistant", id: crypto.randomUUID(), content: [], model: id, provider },
    ...{ stopReason: "stop", timestamp: Date.now() },
  };
}
