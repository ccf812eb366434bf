import type { Responses } from "openai/resources/responses/responses";
import type { ModelRequest } from "../../vocabulary/model.ts";
import { emptyUsage, type Usage } from "../../vocabulary/usage.ts";
import type { Completion, MessageDraft } from "../shared/draft.ts";
import { failure, type ProviderFailure } from "../shared/failure.ts";
import { readReport, reportedFailure } from "../shared/reported.ts";
import type { SseFrame } from "../shared/sse.ts";
import type { WireReader } from "../shared/wire.ts";
import { reportsTokens, tokenCount, uncachedInput } from "../shared/wireValues.ts";
import { freeTextArguments } from "./freeText.ts";
import { createOutputItems } from "./outputItems.ts";

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
