import { type ErrorCode, errorText } from "../vocabulary/errors.ts";
import { batchesOf, eventsOf } from "../vocabulary/eventBatches.ts";
import { type AssistantMessage, estimateTokens, type StopReason, type ToolCall } from "../vocabulary/messages.ts";
import type { MessageDelta, Model, ModelRequest, StreamEvent, StreamOptions } from "../vocabulary/model.ts";
import { copyPlain, plainJson } from "../vocabulary/plainJson.ts";
import { costOf, type ReportedUsage, type Usage, usageOfCutAnswer } from "../vocabulary/usage.ts";
import { addMessage, type RunState } from "./runState.ts";
import { StreamedMessage } from "./streamedMessage.ts";

/** A model's answer as it ended, complete or not. */
export interface Answer {
  message: AssistantMessage;
  /** What was thrown, where something was. */
  cause?: unknown;
  /** Something of it had arrived. */
  wasCut: boolean;
}

/** How a stream ended: with its terminal event, with a throw, or without either. */
type StreamEnd = { terminal: AssistantMessage; isError: boolean } | { thrown: unknown } | "missing" | "aborted";

/** Asks the model once and adds its answer with its events, whatever comes: text, a fault, silence, an abort. */
export async function streamAnswer(state: RunState, request: ModelRequest, options: StreamOptions): Promise<Answer> {
  const { node, model } = state;
  const streamed = new StreamedMessage(emptyAnswer(state));
  const progress: { started: boolean; arrived: boolean; reported?: ReportedUsage } = { started: false, arrived: false };
  const start = () => {
    if (progress.started) return;
    progress.started = true;
    state.streamed = streamed;
    node.emit({ type: "message_start", message: streamed.message });
  };
  const emitDelta = (delta: MessageDelta) => {
    start();
    progress.arrived = true;
    thought.observe(delta);
    streamed.append(delta);
    node.emitDelta(streamed.id, delta, reportedNext);
    reportedNext = undefined;
  };
  const thought = thinkingTime();
  let reportedNext: ReportedUsage | undefined;
  const report = (usage: Usage) => {
    const { price } = model;
    reportedNext = { usage: priced(cleanUsage(usage), model), ...(price !== undefined && { price }) };
    progress.reported = reportedNext;
  };
  const calls = new Set<string>();
  const take = (event: NonTerminal) => {
    switch (event.type) {
      case "start":
        return start();
      case "retry":
      case "warning":
        return node.emit(event);
      case "toolcall_end":
        // Some servers announce a call again in the finished message.
        return announce(calls, event.call.id) ? emitDelta(plainCallEnd(event)) : undefined;
      default:
        return emitDelta(event);
    }
  };
  // The model is the application's own object, and perhaps that of other agents.
  const open = () => state.config.streamFn(copyPlain(model), request, options);
  const end = await consume(open, { take, report }, state.signal);
  start();
  state.streamed = undefined;
  const message = thought.addTo(withReported(completed(state, streamed, end), progress.reported));
  addMessage(state, message);
  if (message.usage !== undefined) charge(state, message.usage, { isRequest: true });
  return {
    message,
    wasCut: progress.arrived,
    ...(typeof end === "object" && "thrown" in end ? { cause: end.thrown } : {}),
  };
}

/** Asks the model beside the conversation: nothing is added and no delta emitted, but what it costs is counted. */
export async function askQuietly(
  state: RunState,
  request: ModelRequest,
  options: StreamOptions & { signal: AbortSignal },
): Promise<AssistantMessage> {
  const streamed = new StreamedMessage(emptyAnswer(state));
  const take = (event: NonTerminal) => {
    if (event.type === "retry" || event.type === "warning") state.node.emit(event);
    else if (event.type !== "start") streamed.append(event);
  };
  let reported: ReportedUsage | undefined;
  const report = (usage: Usage) => {
    reported = {
      usage: priced(cleanUsage(usage), state.model),
      ...(state.model.price && { price: state.model.price }),
    };
  };
  const open = () => state.config.streamFn(copyPlain(state.model), request, options);
  const end = await consume(open, { take, report }, options.signal);
  const message = withReported(completed(state, streamed, end), reported);
  if (message.usage !== undefined) charge(state, message.usage, { isRequest: false });
  return message;
}

type Terminal = Extract<StreamEvent, { type: "done" | "error" }>;
type NonTerminal = Exclude<StreamEvent, Terminal>;

function isTerminal(event: StreamEvent): event is Terminal {
  return event.type === "done" || event.type === "error";
}

/** Reads a stream to its end. An abort leaves it at once, and what it yields afterwards is dropped. */
function consume(
  open: () => AsyncIterable<StreamEvent>,
  { take, report }: { take(event: NonTerminal): void; report(usage: Usage): void },
  signal: AbortSignal,
): Promise<StreamEnd> {
  const { promise, resolve } = Promise.withResolvers<StreamEnd>();
  let left = false;
  const leave = () => {
    left = true;
    resolve("aborted");
  };
  let ended: StreamEnd | undefined;
  const read = async (): Promise<StreamEnd> => {
    // One that is written as an async function gives a promise, whatever its type says.
    const opened: unknown = open();
    const stream = (opened instanceof Promise ? await opened : opened) as AsyncIterable<StreamEvent>;
    for await (const batch of batchesOf(stream)) {
      if ("usage" in batch && !left) report(batch.usage);
      for (const event of eventsOf(batch)) {
        if (left) return "aborted";
        if (isTerminal(event)) {
          ended = { terminal: event.message, isError: event.type === "error" };
          return ended;
        }
        take(event);
      }
    }
    return "missing";
  };
  signal.addEventListener("abort", leave, { once: true });
  read().then(resolve, (thrown: unknown) => resolve(ended ?? { thrown }));
  return promise.finally(() => signal.removeEventListener("abort", leave));
}

function emptyAnswer({ model }: RunState): AssistantMessage {
  return {
    role: "assistant",
    id: crypto.randomUUID(),
    content: [],
    model: model.id,
    provider: model.provider,
    stopReason: "stop",
    timestamp: Date.now(),
  };
}

const finishReasons: ReadonlySet<StopReason> = new Set(["stop", "toolUse", "length"]);

/** The message as it is kept: the loop's id, unique call ids, its cost, and an error text where it failed. */
function completed(state: RunState, streamed: StreamedMessage, end: StreamEnd): AssistantMessage {
  if (end === "aborted") return failed(withFacts(streamed.message, "aborted"), "aborted", "The answer was aborted.");
  if (end === "missing") {
    return failed(withFacts(streamed.message, "ended_early"), "error", "The answer ended without being complete.");
  }
  if ("thrown" in end)
    return failed(streamed.message, state.signal.aborted ? "aborted" : "error", errorText(end.thrown));

  const { terminal, isError } = end;
  const { usage: reported, ...rest } = terminal;
  // Adapters leave null where the type has nothing.
  const usage = reported ? { usage: priced(cleanUsage(reported), state.model) } : {};
  const kept = { ...rest, ...usage, id: streamed.id };
  const fault = faultOf(terminal, isError);
  if (fault === undefined) return plainMessage({ ...kept, content: uniqueCalls(terminal.content, state.node.callIds) });
  const isAborted = state.signal.aborted || terminal.stopReason === "aborted";
  const content = terminal.content.length > 0 ? terminal.content : streamed.message.content;
  const stopReason = isAborted ? "aborted" : "error";
  if (terminal.errorMessage !== undefined) return failed({ ...kept, content }, stopReason, terminal.errorMessage);
  return failed(withFacts({ ...kept, content }, isAborted ? "aborted" : "unexplained"), stopReason, fault);
}

const minThinkingMs = 1_000;

/** Sums up how long the thinking parts of an answer took to arrive. */
function thinkingTime() {
  let total = 0;
  let since: number | undefined;
  const end = () => {
    if (since !== undefined) total += Date.now() - since;
    since = undefined;
  };
  return {
    observe({ type }: MessageDelta): void {
      if (type === "thinking_start") since = Date.now();
      else if (type !== "thinking_delta") end();
    },
    addTo(message: AssistantMessage): AssistantMessage {
      end();
      return total < minThinkingMs ? message : { ...message, thinkingMs: total };
    },
  };
}

/** What an answer that was cut has cost is known as far as the provider had reported it. */
function withReported(message: AssistantMessage, reported: ReportedUsage | undefined): AssistantMessage {
  if (message.usage !== undefined || reported === undefined) return message;
  return { ...message, usage: usageOfCutAnswer(reported, estimateTokens([message])) };
}

function withFacts(message: AssistantMessage, code: ErrorCode): AssistantMessage {
  const { provider, model } = message;
  return { ...message, errorFacts: { code, provider, model } };
}

function faultOf({ stopReason }: AssistantMessage, isError: boolean): string | undefined {
  if (stopReason === "aborted") return "The provider aborted the answer.";
  if (isError || stopReason === "error") return "The provider failed without saying why.";
  return finishReasons.has(stopReason) ? undefined : `The provider gave an unknown finish reason: ${stopReason}`;
}

/** A call that was cut has only the raw text of its arguments, which must not be taken for the arguments. */
function failed(message: AssistantMessage, stopReason: StopReason, errorMessage: string): AssistantMessage {
  const content = message.content.filter((part) => part.type !== "toolCall" || typeof part.arguments !== "string");
  return plainMessage({ ...message, content, stopReason, errorMessage });
}

function priced(usage: Usage, model: Model): Usage {
  return usage.cost === 0 ? { ...usage, cost: costOf(usage, model.price) } : usage;
}

/** A copy, since the stream may go on using its own. Plain JSON of a message is a message. */
function plainMessage(message: AssistantMessage): AssistantMessage {
  return copyPlain(plainJson(message) as AssistantMessage);
}

function plainCallEnd(delta: Extract<MessageDelta, { type: "toolcall_end" }>): MessageDelta {
  const args = plainJson(delta.call.arguments);
  return Object.is(args, delta.call.arguments) ? delta : { ...delta, call: { ...delta.call, arguments: args ?? null } };
}

function announce(calls: Set<string>, id: string): boolean {
  if (calls.has(id)) return false;
  calls.add(id);
  return true;
}

/** Results are matched by call id, and calls are found by it: a missing or repeated one gets an id of its own. */
function uniqueCalls(content: AssistantMessage["content"], seen: Set<string>): AssistantMessage["content"] {
  return content.map((part) => {
    if (part.type !== "toolCall") return part;
    const isFresh = part.id !== "" && typeof part.id === "string" && !seen.has(part.id);
    const call: ToolCall = isFresh ? part : { ...part, id: crypto.randomUUID() };
    seen.add(call.id);
    return call.arguments === undefined ? { ...call, arguments: {} } : call;
  });
}

/** A provider may leave a figure out or report nonsense; a sum must stay a number. */
function cleanUsage(usage: Usage): Usage {
  return {
    input: figure(usage.input),
    output: figure(usage.output),
    cacheRead: figure(usage.cacheRead),
    cacheWrite: figure(usage.cacheWrite),
    ...(usage.cacheWriteHour !== undefined && { cacheWriteHour: figure(usage.cacheWriteHour) }),
    reasoning: figure(usage.reasoning),
    cost: figure(usage.cost),
    ...(usage.isEstimate && { isEstimate: true }),
  };
}

function figure(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}

function charge(state: RunState, usage: Usage, o: { isRequest: boolean }): void {
  state.spent.cost += usage.cost;
  state.spent.tokens += usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  state.scope.charge(usage.cost);
  state.node.addUsage(usage, state.model, o);
}
