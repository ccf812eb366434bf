import type Anthropic from "@anthropic-ai/sdk";
import { emptyUsage, type Usage } from "../../vocabulary/usage.ts";
import type { Completion, MessageDraft, OpenCall, OpenText } from "../shared/draft.ts";
import { failure, type ProviderFailure } from "../shared/failure.ts";
import { readReport, reportedFailure } from "../shared/reported.ts";
import type { SseFrame, WireReader } from "../shared/wire.ts";
import { reportsTokens, tokenCount } from "../shared/wireValues.ts";
import { redactedPrefix } from "./anthropicRequest.ts";

/** `input` is what a block began with: whole there if no text of it follows. */
type OpenBlock = { type: "text"; text: OpenText } | { type: "call"; call: OpenCall; input: unknown };

/** Reads the events of one Messages stream. */
export function createAnthropicReader(draft: MessageDraft): WireReader {
  const blocks = new Map<number, OpenBlock>();
  const reported: Partial<Anthropic.MessageDeltaUsage> = {};
  let stopReason: string | null = null;
  let explanation = "";
  let isComplete = false;
  let hasSkipped = false;

  function startBlock({ index, content_block: block }: Anthropic.RawContentBlockStartEvent): void {
    switch (block.type) {
      case "text":
      case "thinking": {
        const text = draft.openText(block.type);
        blocks.set(index, { type: "text", text });
        draft.append(text, block.type === "text" ? block.text : block.thinking);
        return;
      }
      case "redacted_thinking": {
        const text = draft.openText("thinking");
        sign(text, redactedPrefix + block.data);
        blocks.set(index, { type: "text", text });
        return;
      }
      case "tool_use": {
        const call = draft.openCall(block.id, block.name);
        blocks.set(index, { type: "call", call, input: block.input });
        return;
      }
      default:
        // Work of the provider's own tools, and whatever comes to be: not ours to show or to run.
        hasSkipped = true;
        noteFallback(block);
    }
  }

  /** The provider went on with another model, as it may be set up to do where the asked one declines. */
  function noteFallback(block: object): void {
    if (!("type" in block) || block.type !== "fallback" || !("to" in block)) return;
    const { to } = block;
    if (typeof to !== "object" || to === null || !("model" in to)) return;
    draft.warn(`Answered by ${String(to.model)}: the provider went on with it instead of the chosen model.`);
  }

  function appendToBlock({ index, delta }: Anthropic.RawContentBlockDeltaEvent): void {
    const block = blocks.get(index);
    if (block === undefined) return;
    // First and alone: this is what nearly all of a stream is.
    if (delta.type === "text_delta" && block.type === "text") draft.append(block.text, delta.text);
    else appendOther(block, delta);
  }

  function appendOther(block: OpenBlock, delta: Anthropic.RawContentBlockDelta): void {
    if (delta.type === "thinking_delta" && block.type === "text") draft.append(block.text, delta.thinking);
    else if (delta.type === "signature_delta" && block.type === "text") sign(block.text, delta.signature);
    else if (delta.type === "input_json_delta" && block.type === "call")
      draft.appendCall(block.call, delta.partial_json);
  }

  function endBlock(index: number): void {
    const block = blocks.get(index);
    if (block?.type === "text") draft.closeText(block.text);
    if (block?.type === "call") {
      if (block.call.text === "") draft.appendCall(block.call, JSON.stringify(block.input ?? {}));
      draft.closeCall(block.call);
    }
    blocks.delete(index);
  }

  function note(usage: Partial<Anthropic.Usage | Anthropic.MessageDeltaUsage> | null | undefined): void {
    for (const [name, value] of Object.entries(usage ?? {})) {
      // Later events report the sums so far, and null for what they leave out.
      if (value !== null) Object.assign(reported, { [name]: value });
    }
    const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = reported;
    if (reportsTokens(input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens))
      draft.usage = normalise(reported);
  }

  function read({ event, data }: SseFrame): ProviderFailure | undefined {
    // As the SDK has it: a frame without a name is not of this format, and a ping says nothing.
    if (event === null || event === "ping" || data === "") return undefined;
    if (event === "error") return reportedFailure(readReport(parseLoosely(data)));
    // The documented shape; what deviates from it throws here, and that counts as a broken stream.
    const message = JSON.parse(data) as Anthropic.RawMessageStreamEvent;
    switch (message.type) {
      case "message_start":
        if (draft.hasBegun) return failure("incomplete", { type: "restarted" });
        note(message.message.usage);
        return undefined;
      case "content_block_start":
        startBlock(message);
        return undefined;
      case "content_block_delta":
        appendToBlock(message);
        return undefined;
      case "content_block_stop":
        endBlock(message.index);
        return undefined;
      case "message_delta":
        stopReason = message.delta.stop_reason ?? stopReason;
        explanation = refusalText(message.delta.stop_details) ?? explanation;
        note(message.usage);
        return undefined;
      case "message_stop":
        isComplete = true;
        return undefined;
      default:
        return undefined;
    }
  }

  return {
    read,
    get isComplete() {
      return isComplete;
    },
    get hasSkipped() {
      return hasSkipped;
    },
    finish: () => completionOf(stopReason, explanation, draft),
  };
}

function completionOf(reason: string | null, explanation: string, draft: MessageDraft): Completion | ProviderFailure {
  switch (reason) {
    case "end_turn":
    case "stop_sequence":
    case "pause_turn":
      return draft.hasCalls ? "toolUse" : "stop";
    case "tool_use":
      return "toolUse";
    case "max_tokens":
      return "length";
    case "model_context_window_exceeded":
      return failure("context", { type: "overflow" });
    case "refusal":
      return failure("rejected", { type: "refused", explanation });
    default:
      return failure("unknown", { type: "unknownFinish", reason: reason ?? "none given" });
  }
}

/** The policy that a refusal goes back to, and what was said of it. */
function refusalText(details: Anthropic.RefusalStopDetails | null | undefined): string | undefined {
  const text = [details?.category?.replaceAll("_", " "), details?.explanation].filter((part) => part).join(": ");
  return text === "" ? undefined : text;
}

function sign(open: OpenText, signature: string): void {
  if (open.part.type === "thinking") open.part.signature = (open.part.signature ?? "") + signature;
}

function normalise(reported: Partial<Anthropic.MessageDeltaUsage & Pick<Anthropic.Usage, "cache_creation">>): Usage {
  const hour = tokenCount(reported.cache_creation?.ephemeral_1h_input_tokens);
  return {
    ...emptyUsage(),
    input: tokenCount(reported.input_tokens),
    output: tokenCount(reported.output_tokens),
    cacheRead: tokenCount(reported.cache_read_input_tokens),
    cacheWrite: tokenCount(reported.cache_creation_input_tokens),
    ...(hour > 0 && { cacheWriteHour: hour }),
    reasoning: tokenCount(reported.output_tokens_details?.thinking_tokens),
  };
}

function parseLoosely(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
