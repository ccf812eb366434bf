import type { Chat } from "openai/resources/chat/chat";
import { emptyUsage, type Usage } from "../../vocabulary/usage.ts";
import type { CallInput, Completion, MessageDraft, OpenCall, OpenText } from "../shared/draft.ts";
import { failure, type ProviderFailure } from "../shared/failure.ts";
import { readReport, reportedFailure } from "../shared/reported.ts";
import type { SseFrame, WireReader } from "../shared/wire.ts";
import { reportsTokens, tokenCount, uncachedInput } from "../shared/wireValues.ts";
import { type ThinkingName, thinkingNames } from "./chatDialect.ts";

/** A chunk as servers really send it: more than the documented fields, and fewer. */
interface Chunk {
  choices?: { delta?: Delta | null; finish_reason?: string | null }[] | null;
  usage?: (Partial<Chat.ChatCompletionChunk["usage"] & object> & { cost?: unknown }) | null;
  error?: unknown;
}

/** `reasoning_content` is DeepSeek's, xAI's and others' name for thinking; `reasoning` OpenRouter's and vLLM's. */
type Delta = Partial<Chat.ChatCompletionChunk.Choice.Delta> & {
  reasoning_content?: unknown;
  reasoning?: unknown;
  /** OpenRouter's: what it wants back so that the model's own provider accepts its thinking. */
  reasoning_details?: unknown;
};

/** Reads the chunks of one Chat Completions stream. */
export function createChatReader(draft: MessageDraft): WireReader {
  const calls = createChatCalls(draft);
  let open: OpenText | undefined;
  let thinkingName: ThinkingName | undefined;
  const details: ThinkingDetail[] = [];
  /** The part that the details belong to. */
  let detailed: OpenText | undefined;
  let refusal = "";
  let reason = "";
  let isComplete = false;

  function grow(type: "text" | "thinking", delta: unknown): void {
    if (typeof delta !== "string" || delta === "") return;
    if (open?.part.type !== type) {
      endText();
      open = draft.openText(type);
    }
    draft.append(open, delta);
  }
  /** A server may send the same thinking under both names. */
  function growThinking(name: ThinkingName, delta: unknown): void {
    thinkingName ??= typeof delta === "string" && delta !== "" ? name : undefined;
    if (name !== thinkingName) return;
    grow("thinking", delta);
    if (open?.part.type === "thinking") open.part.signature ??= name;
  }
  /** Also where there is nothing to show: then the part holds them alone. */
  function addDetails(added: unknown): void {
    if (!Array.isArray(added) || added.length === 0) return;
    for (const detail of added) addDetail(details, detail);
    if (detailed === undefined && open?.part.type !== "thinking") {
      endText();
      open = draft.openText("thinking");
    }
    detailed ??= open;
    if (detailed?.part.type === "thinking") detailed.part.signature ??= "reasoning";
  }
  /** Once they are whole: they may be long, and come in thousands of pieces. */
  function signDetails(): void {
    if (detailed?.part.type === "thinking") detailed.part.signature = JSON.stringify(details);
  }
  function endText(): void {
    if (open !== undefined) draft.closeText(open);
    open = undefined;
  }

  function read({ event, data }: SseFrame): ProviderFailure | undefined {
    if (data === "") return undefined;
    if (data === "[DONE]") {
      endText();
      signDetails();
      calls.end();
      isComplete = reason !== "";
      // Nothing follows; without a reason to have stopped it was not the end of an answer.
      return isComplete ? undefined : failure("incomplete", { type: "cut" }, true);
    }
    // What deviates from this shape throws, and that counts as a broken stream.
    const chunk = JSON.parse(data) as Chunk;
    if (event === "error" || chunk.error) return reportedFailure(readReport(chunk));
    if (chunk.usage && reportsTokens(chunk.usage.prompt_tokens, chunk.usage.completion_tokens))
      draft.usage = normalise(chunk.usage);
    // Only one choice is ever asked for, whatever its index is.
    const choice = chunk.choices?.[0];
    if (choice === undefined) return undefined;
    const delta = choice.delta ?? {};
    for (const name of thinkingNames) growThinking(name, delta[name]);
    addDetails(delta.reasoning_details);
    grow("text", delta.content);
    if (typeof delta.refusal === "string") refusal += delta.refusal;
    if (delta.tool_calls && delta.tool_calls.length > 0) {
      endText();
      for (const call of delta.tool_calls) calls.grow(call);
    }
    reason = choice.finish_reason || reason;
    return undefined;
  }

  return {
    read,
    get isComplete() {
      return isComplete;
    },
    hasSkipped: false,
    finish: () => completionOf(reason, refusal, draft),
  };
}

/** A piece of thinking as OpenRouter has it; text comes in deltas, everything else whole. */
type ThinkingDetail = Record<string, unknown>;

function addDetail(details: ThinkingDetail[], added: unknown): void {
  if (typeof added !== "object" || added === null) return;
  // Any object can be read by name; what is not there is undefined.
  const detail = added as ThinkingDetail;
  const last = details.at(-1);
  const name = detail.type === "reasoning.text" ? "text" : detail.type === "reasoning.summary" ? "summary" : undefined;
  if (last === undefined || name === undefined || last.type !== detail.type || last.index !== detail.index) {
    details.push({ ...detail });
    return;
  }
  const text = `${last[name] ?? ""}${detail[name] ?? ""}`;
  for (const [key, value] of Object.entries(detail)) if (value !== null) last[key] = value;
  last[name] = text;
}

function completionOf(reason: string, refusal: string, draft: MessageDraft): Completion | ProviderFailure {
  if (refusal !== "") return failure("rejected", { type: "refused", explanation: refusal });
  switch (reason) {
    case "stop":
      // Some servers say "stop" after tool calls too.
      return draft.hasCalls ? "toolUse" : "stop";
    case "tool_calls":
    case "function_call":
      return "toolUse";
    case "length":
      return "length";
    case "content_filter":
      return failure("rejected", { type: "refused", explanation: "content filter" });
    default:
      return failure("unknown", { type: "unknownFinish", reason });
  }
}

function normalise(reported: NonNullable<Chunk["usage"]>): Usage {
  const details = reported.prompt_tokens_details;
  const cacheRead = tokenCount(details?.cached_tokens);
  const cacheWrite = tokenCount(details?.cache_write_tokens);
  return {
    ...emptyUsage(),
    input: uncachedInput(tokenCount(reported.prompt_tokens), { read: cacheRead, write: cacheWrite }),
    output: tokenCount(reported.completion_tokens),
    cacheRead,
    cacheWrite,
    reasoning: tokenCount(reported.completion_tokens_details?.reasoning_tokens),
    cost: typeof reported.cost === "number" && reported.cost > 0 ? reported.cost : 0,
  };
}

/** One piece of a tool call as servers really send it. */
type CallDelta = Partial<Chat.ChatCompletionChunk.Choice.Delta.ToolCall> & {
  /** A tool with free text instead of arguments. */
  custom?: { name?: string; input?: string };
  /** Google's: holds the signature without which its models refuse the call when it goes back. */
  extra_content?: unknown;
};

/** The tool calls of one answer while they grow. */
interface ChatCalls {
  grow(delta: CallDelta): void;
  end(): void;
}

/** A call begins when its name is known; what came before waits. */
interface Growing {
  id: string | undefined;
  name: string;
  waiting: string;
  input: CallInput;
  extra: unknown;
  call: OpenCall | undefined;
}

function createChatCalls(draft: MessageDraft): ChatCalls {
  // Pieces belong together by their index; servers that leave it out send whole calls, one after the other.
  const byIndex = new Map<number | undefined, Growing>();
  const all: Growing[] = [];

  function begin(growing: Growing): OpenCall {
    growing.call = draft.openCall(growing.id, growing.name, growing.input);
    draft.appendCall(growing.call, growing.waiting);
    return growing.call;
  }
  function growingAt(delta: CallDelta): Growing {
    const known = byIndex.get(delta.index);
    // Some servers number every call 0: another id with another name is another call.
    const isOther = known !== undefined && Boolean(delta.id) && Boolean(known.id) && delta.id !== known.id;
    if (known !== undefined && !(isOther && delta.function?.name)) return known;
    const growing: Growing = {
      id: delta.id,
      name: "",
      waiting: "",
      input: delta.custom === undefined ? "json" : "text",
      extra: undefined,
      call: undefined,
    };
    byIndex.set(delta.index, growing);
    all.push(growing);
    return growing;
  }

  return {
    grow: (delta) => {
      const growing = growingAt(delta);
      growing.id ||= delta.id;
      growing.extra ??= delta.extra_content;
      growing.name ||= delta.function?.name ?? delta.custom?.name ?? "";
      const text = delta.function?.arguments ?? delta.custom?.input ?? "";
      if (growing.call !== undefined) draft.appendCall(growing.call, text);
      else growing.waiting += text;
      if (growing.call === undefined && growing.name !== "") begin(growing);
    },
    end: () => {
      for (const growing of all) {
        const open = growing.call ?? begin(growing);
        if (typeof growing.extra === "object" && growing.extra !== null) {
          open.call.signature = JSON.stringify(growing.extra);
        }
        draft.closeCall(open);
      }
    },
  };
}
