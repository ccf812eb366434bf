import type {
  AgentEvent,
  AgentMessage,
  AgentMeta,
  AssistantMessage,
  EventBody,
  Usage,
} from "../../../src/agent/types.ts";
import type { FileEdit } from "../../../src/protocol/fileEdits.ts";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import type { HostMessage, LogEntry, PanelStatus } from "../../../src/protocol/messages.ts";

/** A chat's log as the host would send it, written down step by step. Times and ids are the same in every run. */
export interface Recording {
  readonly entries: LogEntry[];
  readonly lastSeq: number;
  /** `title` names its work. */
  agent(name: string, parent?: AgentMeta, callId?: string, title?: string): AgentMeta;
  event(agent: AgentMeta, body: EventBody): void;
  host(event: HostEvent): void;
  user(agent: AgentMeta, text: string, meta?: Record<string, unknown>): void;
  /** A whole answer; its calls have started afterwards unless they end at once by `calls`. */
  answer(agent: AgentMeta, content: AssistantMessage["content"], more?: Partial<AssistantMessage>): string;
  /** Starts an answer that is still being written. */
  streaming(agent: AgentMeta, text: string): string;
  toolStart(agent: AgentMeta, callId: string, toolName: string, label: string, args: unknown): void;
  toolEnd(
    agent: AgentMeta,
    callId: string,
    toolName: string,
    content: string,
    isError?: boolean,
    durationMs?: number,
  ): void;
  /** What became of an edit whose call has started. */
  editEnd(agent: AgentMeta, callId: string, toolName: string, files: readonly FileEdit[]): void;
  spend(agent: AgentMeta, usage: Partial<Usage>, percent?: number): void;
  end(agent: AgentMeta, reason: Extract<EventBody, { type: "agent_end" }>["reason"], error?: string): void;
  /** The message that starts the chat in the panel. */
  chat(status?: Partial<PanelStatus>, draft?: string): HostMessage;
  /** The entries above a number, as a later post. */
  since(seq: number): HostMessage;
}

export const chatId = "chat-1";
/** When the first event happens. */
export const startTime = 1_763_600_000_000;
const none: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0 };

const opus = {
  id: "anthropic/claude-opus",
  label: "Claude Opus",
  isDemo: false,
  contextWindow: 200_000,
  hasPrice: true,
};
export const local = { id: "ollama/qwen3-coder", label: "qwen3-coder:30b", isDemo: false, hasPrice: false };
export const demo = { id: "demo/demo", label: "Demo", isDemo: true, contextWindow: 32_000, hasPrice: false };

export function status(changes: Partial<PanelStatus> = {}): PanelStatus {
  const { activeFile = "src/auth.ts" } = changes;
  const explained = activeFile.split("/").at(-1) ?? "";
  return {
    model: opus,
    models: [opus, local, demo],
    needsSetup: false,
    folderOpen: true,
    activeFile: "src/auth.ts",
    problemCount: 3,
    offers: [
      { icon: "wrench", label: "Fix 3 problems", prompt: "Fix the problems.", attachments: [{ kind: "problems" }] },
      { icon: "map", label: "Tour of the shop", prompt: "Give me a tour.", attachments: [] },
      {
        ...{ icon: "comment-discussion", label: `Explain ${explained}`, prompt: `Explain ${activeFile}` },
        attachments: [{ kind: "file", path: activeFile }],
      },
    ],
    editorState: { isSent: true, openFiles: 4, problems: 3 },
    mode: "ask",
    thinking: "off",
    compactAt: 0.8,
    ...changes,
  };
}

export function recording(): Recording {
  const entries: LogEntry[] = [];
  const spent = new Map<string, { meta: AgentMeta; own: Usage; total: Usage }>();
  let seq = 0;
  let agentSeq = 0;
  let ids = 0;

  function event(agent: AgentMeta, body: EventBody): void {
    agentSeq++;
    const base = {
      agent,
      sessionId: "session-1",
      runId: "run-1",
      seq: agentSeq,
      timestamp: startTime + agentSeq * 500,
    };
    // A body with its base is an event; the union does not distribute over the spread.
    entries.push({ seq: ++seq, agent: { ...base, ...body } as AgentEvent });
  }

  function message(agent: AgentMeta, whole: AgentMessage): void {
    event(agent, { type: "message_start", message: whole });
    event(agent, { type: "message_end", message: whole });
  }

  function assistant(content: AssistantMessage["content"], more: Partial<AssistantMessage> = {}): AssistantMessage {
    return {
      role: "assistant",
      id: `m${++ids}`,
      content,
      model: "claude-opus",
      provider: "anthropic",
      stopReason: content.some((part) => part.type === "toolCall") ? "toolUse" : "stop",
      timestamp: startTime,
      ...more,
    };
  }

  return {
    entries,
    get lastSeq() {
      return seq;
    },
    agent(name, parent, callId, title) {
      const id = parent === undefined ? name : `${parent.id}/${name}-${++ids}`;
      const meta: AgentMeta = {
        id,
        name,
        prefix: "",
        depth: parent === undefined ? 0 : parent.depth + 1,
        model: "claude-opus",
        ...(parent === undefined ? {} : { parentId: parent.id }),
        ...(callId === undefined ? {} : { toolCallId: callId }),
        ...(title === undefined ? {} : { label: title }),
      };
      spent.set(id, { meta, own: none, total: none });
      event(meta, { type: "agent_start" });
      return meta;
    },
    event,
    host(hostEvent) {
      entries.push({ seq: ++seq, host: hostEvent });
    },
    user(agent, text, meta) {
      const base = { role: "user" as const, id: `m${++ids}`, content: [{ type: "text" as const, text }] };
      message(agent, { ...base, timestamp: startTime, ...(meta === undefined ? {} : { meta }) });
    },
    answer(agent, content, more) {
      const whole = assistant(content, more);
      message(agent, whole);
      return whole.id;
    },
    streaming(agent, text) {
      const { id, ...rest } = assistant([]);
      event(agent, { type: "message_start", message: { ...rest, id } });
      event(agent, { type: "message_update", messageId: id, delta: { type: "text_start", index: 0 } });
      event(agent, { type: "message_update", messageId: id, delta: { type: "text_delta", index: 0, delta: text } });
      return id;
    },
    toolStart(agent, callId, toolName, label, args) {
      event(agent, { type: "tool_execution_start", callId, toolName, label, args });
    },
    toolEnd(agent, callId, toolName, content, isError = false, durationMs = 120) {
      event(agent, { type: "tool_execution_end", callId, toolName, result: { content }, isError, durationMs });
      const result = { role: "toolResult" as const, id: `m${++ids}`, callId, toolName, isError, timestamp: startTime };
      message(agent, { ...result, content: [{ type: "text", text: content }] });
    },
    editEnd(agent, callId, toolName, files) {
      const content = [{ type: "text" as const, text: `Edited ${files.map(({ path }) => path).join(", ")}.` }];
      const details = { files };
      event(agent, {
        ...{ type: "tool_execution_end", callId, toolName, isError: false, durationMs: 120 },
        result: { content, details },
      });
      const result = {
        role: "toolResult" as const,
        id: `m${++ids}`,
        callId,
        toolName,
        isError: false,
        content,
        details,
      };
      message(agent, { ...result, timestamp: startTime + agentSeq * 500 });
    },
    spend(agent, usage, percent = 0) {
      const delta = { ...none, ...usage };
      const known = spent.get(agent.id);
      const own = sum(known?.own ?? none, delta);
      const total = sum(known?.total ?? none, delta);
      spent.set(agent.id, { meta: agent, own, total });
      for (let id = agent.parentId; id !== undefined; id = spent.get(id)?.meta.parentId) {
        const above = spent.get(id);
        if (above !== undefined) spent.set(id, { ...above, total: sum(above.total, delta) });
      }
      const contextTokens = delta.input + delta.cacheRead + delta.cacheWrite;
      event(agent, { type: "usage", delta, own, total, contextTokens, contextPercent: percent });
    },
    end(agent, reason, error) {
      event(agent, {
        type: "agent_end",
        reason,
        messages: [],
        usage: none,
        ...(error === undefined ? {} : { error: { code: "provider", message: error } }),
      });
    },
    chat: (changes, draft = "") => ({
      type: "chat",
      chatId,
      reset: true,
      upToSeq: seq,
      entries: [...entries],
      draft,
      status: status(changes),
    }),
    since: (after) => ({
      type: "entries",
      chatId,
      afterSeq: after,
      upToSeq: seq,
      entries: entries.filter((entry) => entry.seq > after),
    }),
  };
}

export function toolCall(id: string, name: string, args: unknown): AssistantMessage["content"][number] {
  return { type: "toolCall", id, name, arguments: args };
}

export function text(words: string): AssistantMessage["content"][number] {
  return { type: "text", text: words };
}

function sum(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
    cost: a.cost + b.cost,
  };
}
