import type { Approval, HostEvent } from "../../../src/protocol/hostEvents.ts";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import type { Suggestion } from "../../../src/protocol/suggestions.ts";
import { recording, startTime, text, toolCall } from "./recording.ts";

/** A chat that shows each of the texts wherever the panel shows words that others chose. */
export interface HostileChat {
  chat: HostMessage;
  /** The answer to what is typed after an `@`. */
  suggestions(requestId: string): HostMessage;
  history: HostMessage;
}

export interface HostileOptions {
  /** Also where whole sentences of models and tools are, which are shown as they are. Default: yes. */
  inWords?: boolean;
}

/** `texts` as names, paths, commands and addresses, and as what people, models and tools say. */
export function hostileChat(texts: readonly string[], { inWords = true }: HostileOptions = {}): HostileChat {
  const log = recording();
  const main = log.agent("main");
  const words = (hostile: string) => (inWords ? hostile : "words");
  const joined = texts.map(words).join("\n");
  const from = { agentId: main.id, agentPath: ["main", ...texts.slice(0, 3)] };
  const event = (host: HostEvent) => log.host(host);

  for (const [index, hostile] of texts.entries()) {
    const id = `call-${index}`;
    const args = index % 2 === 0 ? { path: hostile, start_line: 3 } : { command: hostile };
    log.user(main, words(hostile), {
      attachments: [
        { kind: "file", path: hostile },
        { kind: "agent", name: hostile },
      ],
    });
    log.answer(main, [
      { type: "thinking", text: words(hostile) },
      text(words(hostile)),
      toolCall(id, hostile, args),
      toolCall(`${id}-output`, hostile, args),
      toolCall(`${id}-task`, "spawn_agents", { tasks: [{ agent: hostile, task: words(hostile) }] }),
    ]);
    log.toolStart(main, id, hostile, hostile, args);
    event({ type: "call_allowed", callId: id, grant: { id, kind: "command", scope: "session", text: hostile } });
    log.toolEnd(main, id, hostile, words(hostile), true);
    log.toolStart(main, `${id}-output`, hostile, hostile, args);
    log.event(main, {
      ...{ type: "tool_execution_update", callId: `${id}-output`, toolName: hostile },
      output: words(hostile),
    });
    log.toolStart(main, `${id}-task`, "spawn_agents", hostile, { tasks: [{ agent: hostile, task: words(hostile) }] });
    const child = log.agent(hostile, main, `${id}-task`);
    if (index % 2 === 0) log.event(child, { type: "retry", attempt: 1, delayMs: 600_000, error: hostile });
    else log.end(child, "error", words(hostile));
    event({ type: "notice_shown", notice: { id, level: "error", text: words(hostile), actions: ["retry"] } });
    const summary = { role: "summary" as const, id: `s-${index}`, text: words(hostile), timestamp: 0 };
    log.event(main, { type: "message_start", message: summary });
    log.event(main, { type: "message_end", message: summary });
  }
  event({ type: "chat_titled", title: texts.join(" ") });
  event({ type: "plan_changed", agentId: main.id, items: texts.map((item) => ({ text: item, status: "pending" })) });
  event({
    type: "question_asked",
    question: { ...from, id: "q", callId: "q", text: joined, options: texts.map(words) },
  });
  event({
    type: "queue_changed",
    items: texts.map((item, index) => ({ id: `queued-${index}`, text: words(item), kind: "followUp" })),
  });
  event({
    type: "grants_changed",
    grants: texts.map((item, index) => ({
      ...{ id: `g-${index}`, kind: "command", scope: "agent", text: item, folder: item },
      agentPath: ["main", item],
    })),
  });
  event({
    type: "pending_edits_changed",
    files: texts.map((path) => ({ ...from, path, movedFrom: path, hunks: 1, added: 1, removed: 1 })),
  });
  event({
    type: "budget_asked",
    question: { ...from, id: "b", waitingId: main.id, figure: "turns", used: 1, allowed: 1, step: 1 },
  });
  event({ type: "approval_requested", approval: edits(texts, from, words) });
  event({ type: "approval_requested", approval: request(texts, from) });

  const label = texts[0] ?? "";
  const models = texts.map((name, index) => ({ id: `m-${index}`, label: name, isDemo: false, hasPrice: false }));
  const chat = log.chat({
    activeFile: label,
    model: { id: "m-0", label, isDemo: false, hasPrice: false },
    models,
    commands: texts.map((name) => ({ name, description: name, takesText: true })),
  });
  const draftAttachments = texts.flatMap((name) => [
    { kind: "file" as const, path: name },
    { kind: "symbol" as const, path: name, name, startLine: 1 },
    { kind: "text" as const, name, text: name },
  ]);
  const suggestion = (name: string): Suggestion => ({
    ...{ attachment: { kind: "file", path: name }, label: name, detail: name, mention: name },
  });
  return {
    chat: chat.type === "chat" ? { ...chat, draftAttachments: draftAttachments.slice(0, 60) } : chat,
    suggestions: (requestId) => ({ type: "suggestions", requestId, items: texts.map(suggestion) }),
    history: {
      ...{ type: "history", query: "", hasMore: false },
      items: texts.map((title, index) => ({
        ...{ id: `h-${index}`, title, updatedAt: startTime, tokens: 1, cost: 1, state: "idle" as const },
      })),
    },
  };
}

type From = Pick<Approval, "agentId" | "agentPath">;

function edits(texts: readonly string[], from: From, words: (hostile: string) => string): Approval {
  return {
    ...from,
    ...{ id: "edits", callId: "edits", toolName: texts[0] ?? "" },
    scopes: [{ scope: "pattern", pattern: texts[0] ?? "" }],
    files: texts.map((path) => ({
      ...{ path, change: "update", languageId: path },
      hunks: [
        {
          ...{ id: path, oldStart: 1, oldLines: [words(path)], newStart: 1, newLines: [words(path)] },
          decision: "pending",
        },
      ],
    })),
  };
}

function request(texts: readonly string[], from: From): Approval {
  return {
    ...from,
    ...{ id: "request", callId: "request", toolName: "run_command", files: [] },
    request: { kind: "command", text: texts.join("\n"), detail: texts.join("\n") },
  };
}
