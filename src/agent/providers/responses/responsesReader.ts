import type { Responses } from "openai/resources/responses/responses";
import { assertNever } from "../../vocabulary/errors.ts";
import type { ModelRequest } from "../../vocabulary/model.ts";
import { emptyUsage, type Usage } from "../../vocabulary/usage.ts";
import type { CallInput, Completion, MessageDraft, OpenCall, OpenText } from "../shared/draft.ts";
import { failure, type ProviderFailure } from "../shared/failure.ts";
import { readReport, reportedFailure } from "../shared/reported.ts";
import type { SseFrame, WireReader } from "../shared/wire.ts";
import { reportsTokens, tokenCount, uncachedInput } from "../shared/wireValues.ts";
import { freeTextArguments } from "./freeText.ts";

/** Reads the events of one Responses stream. */
export function createResponsesReader(draft: MessageDraft, { tools }: ModelRequest): WireReader {
  const items = createOutputItems(draft, freeTextArguments(tools));
  let refusal = "";
  let ended: Responses.Response | undefined;

  function read({ event, data }: SseFrame): ProviderFailure | undefined {
    if (data === "" || data === "[DONE]") return undefined;
    // The documented shape; what deviates from it throws, here or below, and that counts as a broken stream.
    const message = JSON.parse(data) as Responses.ResponseStreamEvent & { error?: unknown };
    if (event === "error" || message.type === "error" || message.error) return reportedFailure(readReport(message));
    switch (message.type) {
      case "response.output_text.delta":
        items.appendText(message, message.delta);
        return undefined;
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        items.appendCallText(message, message.delta);
        return undefined;
      case "response.reasoning_summary_text.delta":
        items.appendThinking(message, message.delta, message.summary_index);
        return undefined;
      case "response.reasoning_text.delta":
        items.appendThinking(message, message.delta, message.content_index);
        return undefined;
      case "response.refusal.delta":
        refusal += message.delta;
        return undefined;
      case "response.output_item.added":
        items.start(message.output_index, message.item);
        return undefined;
      case "response.output_item.done":
        items.end(message.output_index, message.item);
        return undefined;
      case "response.completed":
      case "response.incomplete":
        ended = message.response;
        if (ended.usage && reportsTokens(ended.usage.input_tokens, ended.usage.output_tokens))
          draft.usage = normalise(ended.usage);
        return undefined;
      case "response.failed":
        return reportedFailure(readReport(message.response));
      default:
        // Progress of the provider's own tools, annotations, and whatever comes to be.
        return undefined;
    }
  }

  function finish(): Completion | ProviderFailure {
    const reason = ended?.incomplete_details?.reason;
    if (refusal !== "" || reason === "content_filter")
      return failure("rejected", { type: "refused", explanation: refusal });
    if (reason === "max_output_tokens") return "length";
    if (reason !== undefined) return failure("unknown", { type: "unknownFinish", reason });
    // Some servers end every response alike, and say only here what came of it.
    if (ended?.status === "failed") return reportedFailure(readReport(ended));
    if (ended?.status === "incomplete") return "length";
    if (ended?.status !== undefined && ended.status !== "completed")
      return failure("unknown", { type: "unknownFinish", reason: ended.status });
    return draft.hasCalls ? "toolUse" : "stop";
  }

  return {
    read,
    get isComplete() {
      return ended !== undefined;
    },
    get hasSkipped() {
      return items.hasSkipped;
    },
    finish,
  };
}

function normalise(reported: Partial<Responses.ResponseUsage>): Usage {
  const cacheRead = tokenCount(reported.input_tokens_details?.cached_tokens);
  const cacheWrite = tokenCount(reported.input_tokens_details?.cache_write_tokens);
  return {
    ...emptyUsage(),
    input: uncachedInput(tokenCount(reported.input_tokens), { read: cacheRead, write: cacheWrite }),
    output: tokenCount(reported.output_tokens),
    cacheRead,
    cacheWrite,
    reasoning: tokenCount(reported.output_tokens_details?.reasoning_tokens),
  };
}

/** What an event says about the item that it belongs to. Some gateways leave one out, others change ids on the way. */
interface Place {
  output_index?: number;
  item_id?: string;
}

/** The output items of one response while they grow. */
interface OutputItems {
  readonly hasSkipped: boolean;
  start(outputIndex: number, item: Responses.ResponseOutputItem): void;
  appendText(place: Place, delta: string): void;
  appendCallText(place: Place, delta: string): void;
  /** `section` numbers the parts of a summary; a blank line parts them. */
  appendThinking(place: Place, delta: string, section: number): void;
  end(outputIndex: number, item: Responses.ResponseOutputItem): void;
}

type OpenItem =
  | { type: "text"; text: OpenText }
  | { type: "thinking"; text: OpenText; section: number | undefined }
  | { type: "call"; call: OpenCall };

/** `freeText` has the arguments of tools that are called by free text, by tool. */
function createOutputItems(draft: MessageDraft, freeText: ReadonlyMap<string, string>): OutputItems {
  const byIndex = new Map<number, OpenItem>();
  const byId = new Map<string, OpenItem>();
  let hasSkipped = false;

  function open(item: Responses.ResponseOutputItem): OpenItem | undefined {
    switch (item.type) {
      case "message": {
        const text = draft.openText("text");
        setPhase(text, item);
        return { type: "text", text };
      }
      case "reasoning":
        return { type: "thinking", text: draft.openText("thinking"), section: undefined };
      case "function_call":
        return { type: "call", call: draft.openCall(item.call_id, item.name) };
      case "custom_tool_call":
        return { type: "call", call: draft.openCall(item.call_id, item.name, inputOf(item.name)) };
      default:
        return undefined;
    }
  }
  function inputOf(toolName: string): CallInput {
    const argument = freeText.get(toolName);
    return argument === undefined ? "text" : { argument };
  }
  function start(outputIndex: number, item: Responses.ResponseOutputItem): OpenItem | undefined {
    const opened = open(item);
    if (opened === undefined) {
      hasSkipped = true;
      return undefined;
    }
    byIndex.set(outputIndex, opened);
    if (typeof item.id === "string") byId.set(item.id, opened);
    return opened;
  }
  function find({ output_index, item_id }: Place): OpenItem | undefined {
    const placed = output_index === undefined ? undefined : byIndex.get(output_index);
    return placed ?? (item_id === undefined ? undefined : byId.get(item_id));
  }

  return {
    get hasSkipped() {
      return hasSkipped;
    },
    start: (outputIndex, item) => {
      start(outputIndex, item);
    },
    appendText: (place, delta) => {
      const found = find(place);
      if (found?.type === "text") draft.append(found.text, delta);
    },
    appendCallText: (place, delta) => {
      const found = find(place);
      if (found?.type === "call") draft.appendCall(found.call, delta);
    },
    appendThinking: (place, delta, section) => {
      const found = find(place);
      if (found?.type !== "thinking") return;
      if (found.section !== undefined && found.section !== section) draft.append(found.text, "\n\n");
      found.section = section;
      draft.append(found.text, delta);
    },
    end: (outputIndex, item) => {
      const found = byIndex.get(outputIndex) ?? start(outputIndex, item);
      if (found !== undefined) endItem(draft, found, item);
      byIndex.delete(outputIndex);
    },
  };
}

/** Closes an item with what its last event says: text that no delta brought, and what is nowhere else. */
function endItem(draft: MessageDraft, open: OpenItem, item: Responses.ResponseOutputItem): void {
  switch (open.type) {
    case "text":
      if (item.type === "message") {
        setPhase(open.text, item);
        if (open.text.part.text === "") draft.append(open.text, messageText(item));
      }
      draft.closeText(open.text);
      return;
    case "thinking":
      if (item.type === "reasoning") {
        if (open.text.part.text === "") draft.append(open.text, reasoningText(item));
        if (open.text.part.type === "thinking" && item.encrypted_content)
          open.text.part.signature = item.encrypted_content;
      }
      draft.closeText(open.text);
      return;
    case "call": {
      const whole = item.type === "function_call" ? item.arguments : item.type === "custom_tool_call" ? item.input : "";
      if (open.call.text === "") draft.appendCall(open.call, whole ?? "");
      // What the provider calls whole decides; text that differs from it was cut on the way.
      else if (typeof whole === "string" && whole !== "") open.call.text = whole;
      if (item.type === "function_call" || item.type === "custom_tool_call") draft.renameCall(open.call, item.call_id);
      draft.closeCall(open.call);
      return;
    }
    default:
      assertNever(open);
  }
}

function setPhase({ part }: OpenText, { phase }: Responses.ResponseOutputMessage): void {
  if (part.type === "text" && phase) part.phase = phase;
}

function messageText(item: Responses.ResponseOutputMessage): string {
  return (item.content ?? []).map((part) => (part.type === "output_text" ? part.text : "")).join("");
}

function reasoningText(item: Responses.ResponseReasoningItem): string {
  const summary = (item.summary ?? []).map((part) => part.text).join("\n\n");
  return summary === "" ? (item.content ?? []).map((part) => part.text).join("\n\n") : summary;
}
