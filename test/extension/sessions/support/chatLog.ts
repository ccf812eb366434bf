import { emptyTree, reduceTree } from "../../../../src/agent/tree.ts";
import type {
  AgentEvent,
  AgentMessage,
  AgentMeta,
  AgentTree,
  AssistantMessage,
  EndReason,
  EventBody,
  Usage,
} from "../../../../src/agent/types.ts";
import { addUsage, emptyUsage } from "../../../../src/agent/vocabulary/usage.ts";
import type { HostEvent } from "../../../../src/protocol/hostEvents.ts";
import { emptyHostState, type HostState, reduceHost } from "../../../../src/protocol/hostState.ts";
import type { LogEntry } from "../../../../src/protocol/messages.ts";
import { assistant, rootMeta, user } from "../../../support/events.ts";
import { calling, result, summary, toolCall } from "../../../support/messages.ts";

/** One answer of a model: words, and calls that run side by side. */
export interface Turn {
  text: string;
  calls?: readonly Call[];
  /** The transcript is summarized before it. */
  isCompacted?: boolean;
}

interface Call {
  /** What it prints, bit by bit. */
  prints?: readonly string[];
  fails?: boolean;
  /** The turns of a sub-agent that it starts. */
  child?: readonly Turn[];
}

interface Speaker {
  meta: AgentMeta;
  messages: AgentMessage[];
  own: Usage;
  total: Usage;
}

export interface ChatLog {
  readonly entries: LogEntry[];
  readonly messages: readonly AgentMessage[];
  host(event: HostEvent): ChatLog;
  /** A whole run of the root agent. */
  run(text: string, turns?: readonly Turn[], reason?: EndReason): ChatLog;
  /** A run that has got to the middle of a call's work. */
  begin(text: string, call?: Call): ChatLog;
  /** Rewinds to before the user's message of this number, counted from 0, and what followed. */
  rewind(number: number): ChatLog;
  undo(): ChatLog;
  checkpoint(text: string): ChatLog;
}

/** The log of a chat as its agents and the host would write it: every delta, every start and end. */
export function chatLog(): ChatLog {
  const entries: LogEntry[] = [];
  const root: Speaker = { meta: rootMeta, messages: [], own: emptyUsage(), total: emptyUsage() };
  let seq = 0;
  let agentSeq = 0;
  let ids = 0;
  let isTold = false;
  let taken: AgentMessage[] = [];
  const newId = (kind: string) => `${kind}-${++ids}`;

  function append({ meta }: Speaker, body: EventBody): void {
    const event: AgentEvent = {
      agent: meta,
      sessionId: "s",
      runId: "r",
      seq: ++agentSeq,
      timestamp: agentSeq,
      ...body,
    };
    entries.push({ seq: ++seq, agent: event });
  }

  function say(speaker: Speaker, message: AgentMessage): void {
    if (message.role === "assistant") streamed(speaker, message);
    else append(speaker, { type: "message_start", message });
    append(speaker, { type: "message_end", message });
    speaker.messages.push(message);
  }

  function streamed(speaker: Speaker, message: AssistantMessage): void {
    append(speaker, { type: "message_start", message: { ...message, content: [] } });
    for (const [index, part] of message.content.entries()) {
      if (part.type !== "text") continue;
      append(speaker, { type: "message_update", messageId: message.id, delta: { type: "text_start", index } });
      for (const delta of part.text.match(/.{1,7}/gsu) ?? []) {
        append(speaker, { type: "message_update", messageId: message.id, delta: { type: "text_delta", index, delta } });
      }
    }
  }

  function spend(chain: readonly Speaker[], tokens: number): void {
    const delta = { ...emptyUsage(), input: tokens, output: 1, cost: tokens / 1_024 };
    const [speaker] = chain;
    if (speaker === undefined) return;
    speaker.own = addUsage(speaker.own, delta);
    for (const each of chain) each.total = addUsage(each.total, delta);
    const { own, total } = speaker;
    append(speaker, { type: "usage", delta, own, total, contextTokens: tokens, contextPercent: 1 });
  }

  function call(chain: readonly Speaker[], turn: Turn): void {
    const [speaker] = chain;
    const calls = (turn.calls ?? []).map((each) => ({ ...each, callId: newId("call") }));
    if (speaker === undefined) return;
    say(speaker, answer(turn.text, calls));
    spend(chain, turn.text.length + 10);
    for (const { callId } of calls) {
      append(speaker, { type: "tool_execution_start", callId, toolName: "tool", args: {} });
    }
    for (const { callId, prints = [] } of calls) {
      for (const output of prints) append(speaker, { type: "tool_execution_update", callId, toolName: "tool", output });
    }
    for (const { callId, child } of calls) {
      if (child === undefined) continue;
      const meta = {
        ...rootMeta,
        id: newId("agent"),
        depth: chain.length,
        parentId: speaker.meta.id,
        toolCallId: callId,
      };
      runTurns([{ meta, messages: [], own: emptyUsage(), total: emptyUsage() }, ...chain], "a task", child, "done");
    }
    for (const { callId, fails = false } of calls) {
      const outcome = { content: `result of ${callId}` };
      append(speaker, {
        type: "tool_execution_end",
        ...{ callId, toolName: "tool", result: outcome, isError: fails, durationMs: 1 },
      });
    }
    const results = calls.map(({ callId }) => result(callId, `result of ${callId}`));
    for (const message of results) say(speaker, message);
  }

  function answer(text: string, calls: readonly { callId: string }[]): AssistantMessage {
    const message = calling(newId("answer"), ...calls.map(({ callId }) => toolCall(callId)));
    return calls.length === 0
      ? assistant(message.id, text)
      : { ...message, content: [{ type: "text", text }, ...message.content] };
  }

  function runTurns(chain: readonly Speaker[], text: string, turns: readonly Turn[], reason: EndReason): void {
    const [speaker] = chain;
    if (speaker === undefined) return;
    append(speaker, { type: "agent_start" });
    say(speaker, user(newId("user"), text));
    for (const [index, turn] of turns.entries()) {
      append(speaker, { type: "turn_start", index });
      if (turn.isCompacted === true) {
        append(speaker, { type: "compaction_start" });
        say(speaker, summary(newId("summary"), `So far: ${text}`));
        append(speaker, { type: "compaction_end", kind: "summary", before: 100, after: 10 });
      }
      call(chain, turn);
      append(speaker, { type: "turn_end", index, message: assistant("repeated", text), toolResults: [] });
    }
    append(speaker, { type: "agent_end", reason, messages: speaker.messages, usage: speaker.own });
  }

  function change(reason: "added" | "rewind" | "checkpoint", messages: AgentMessage[]): void {
    root.messages = messages;
    append(root, { type: "transcript", messages: [...messages], own: root.own, total: root.total, reason });
  }

  const log: ChatLog = {
    entries,
    get messages() {
      return root.messages;
    },
    host(event) {
      entries.push({ seq: ++seq, host: event });
      return log;
    },
    run(text, turns = [{ text: `Answer to ${text}` }], reason = "done") {
      runTurns([root], text, turns, reason);
      taken = [];
      isTold = true;
      return log;
    },
    begin(text, under) {
      const callId = newId("call");
      append(root, { type: "agent_start" });
      say(root, user(newId("user"), text));
      append(root, { type: "turn_start", index: 0 });
      say(root, answer(text, [{ callId }]));
      append(root, { type: "tool_execution_start", callId, toolName: "tool", args: {} });
      for (const output of under?.prints ?? []) {
        append(root, { type: "tool_execution_update", callId, toolName: "tool", output });
      }
      if (under?.child !== undefined) {
        const meta = { ...rootMeta, id: newId("agent"), depth: 1, parentId: root.meta.id, toolCallId: callId };
        const child: Speaker = { meta, messages: [], own: emptyUsage(), total: emptyUsage() };
        append(child, { type: "agent_start" });
        say(child, user(newId("user"), "a task"));
        for (const turn of under.child) call([child, root], turn);
      }
      return log;
    },
    rewind(number) {
      const asked = root.messages.filter(({ role }) => role === "user");
      const at = root.messages.findIndex((message) => message === asked[number % Math.max(1, asked.length)]);
      if (!isTold || at < 0) return log;
      taken = root.messages.slice(at);
      change("rewind", root.messages.slice(0, at));
      return log;
    },
    undo() {
      if (taken.length > 0) change("added", [...root.messages, ...taken]);
      taken = [];
      return log;
    },
    checkpoint(text) {
      if (isTold) change("checkpoint", [...root.messages, summary(newId("summary"), text)]);
      taken = [];
      return log;
    },
  };
  return log;
}

export interface Folded {
  tree: AgentTree;
  host: HostState;
}

export function fold(entries: readonly LogEntry[]): Folded {
  let tree = emptyTree();
  let host = emptyHostState();
  for (const entry of entries) {
    if ("agent" in entry) tree = reduceTree(tree, entry.agent);
    else host = reduceHost(host, entry.host);
  }
  return { tree, host };
}

/** The state without what is read on demand: the messages and calls of sub-agents. */
export function withoutChildrensWords({ tree, host }: Folded): Folded {
  const nodes = Object.entries(tree.nodes).map(([id, node]) => [
    id,
    node.meta.depth === 0 ? node : { ...node, messages: [], tools: {} },
  ]);
  return { tree: { ...tree, nodes: Object.fromEntries(nodes), lastSeq: 0 }, host };
}
