import type * as z from "zod";
import { BufferedStream } from "../loop/eventStream.ts";
import type { RunResult } from "../loop/runTypes.ts";
import type { AgentEvent, EventStream } from "../vocabulary/events.ts";
import { outputToolName, type PartialOutput, partialOutput } from "./typedOutput.ts";

/** The events of a run, and parts of them. Each stream has what comes from when it is asked for. */
export interface AgentStream<Output = unknown> extends EventStream<AgentEvent, RunResult> {
  /** The text of the agent's own answers, as it arrives. */
  readonly textStream: AsyncIterable<string>;
  /** With an `output` schema: the output so far, each time more of it has arrived. Not validated yet. */
  readonly partialOutputStream: AsyncIterable<PartialOutput<Output>>;
  /**
   * The events that have come since the last batch, together: for readers that need neither a promise for each nor every
   * type. Reads the same events as the stream itself.
   */
  inBatches(o?: { types?: readonly AgentEvent["type"][] }): AsyncIterable<AgentEvent[]>;
}

type Deltas = Extract<AgentEvent, { type: "message_update" }>;

export class RunStream extends BufferedStream<AgentEvent, RunResult> implements AgentStream {
  readonly #agentId: string;
  readonly #output: z.ZodType | undefined;
  #taps: BufferedStream<Deltas, void>[] = [];

  constructor(agentId: string, output: z.ZodType | undefined) {
    super();
    this.#agentId = agentId;
    this.#output = output;
  }

  override push(event: AgentEvent): void {
    super.push(event);
    if (this.#taps.length > 0 && this.#isOwnDelta(event)) for (const tap of this.#taps) tap.push(event);
  }

  override end(): void {
    super.end();
    for (const tap of this.#taps) tap.end();
  }

  get textStream(): AsyncIterable<string> {
    return textIn(this.#tap());
  }

  get partialOutputStream(): AsyncIterable<PartialOutput<unknown>> {
    return outputsIn(this.#tap(), this.#output);
  }

  async *inBatches({ types }: { types?: readonly AgentEvent["type"][] } = {}): AsyncIterable<AgentEvent[]> {
    const wanted = types === undefined ? undefined : new Set(types);
    for await (const first of this) {
      const batch = [first, ...this.takeBuffered()].filter(({ type }) => wanted?.has(type) ?? true);
      if (batch.length > 0) yield batch;
    }
  }

  #isOwnDelta(event: AgentEvent): event is Deltas {
    return event.type === "message_update" && event.agent.id === this.#agentId;
  }

  #tap(): BufferedStream<Deltas, void> {
    const tap = new BufferedStream<Deltas, void>();
    for (const event of this.unread) if (this.#isOwnDelta(event)) tap.push(event);
    if (this.hasEnded) tap.end();
    else this.#taps = [...this.#taps, tap];
    return tap;
  }
}

async function* textIn(events: AsyncIterable<Deltas>): AsyncIterable<string> {
  for await (const { delta } of events) if (delta.type === "text_delta") yield delta.delta;
}

async function* outputsIn(
  events: BufferedStream<Deltas, void>,
  schema: z.ZodType | undefined,
): AsyncIterable<PartialOutput<unknown>> {
  if (schema === undefined) return;
  let json = { messageId: "", index: -1, text: "" };
  let shown = "";
  for await (const first of events) {
    // What came meanwhile is parsed with it: to parse all of a long output for each piece would be quadratic.
    for (const { messageId, delta } of [first, ...events.takeBuffered()]) {
      const { index } = delta;
      const isOther = messageId !== json.messageId || index !== json.index;
      const isStart =
        delta.type === "text_start" || (delta.type === "toolcall_start" && delta.toolName === outputToolName);
      if (isStart && isOther) json = { messageId, index, text: "" };
      else if (!isOther && (delta.type === "text_delta" || delta.type === "toolcall_delta")) json.text += delta.delta;
    }
    const output = partialOutput(json.text, schema);
    const text = JSON.stringify(output);
    if (output === undefined || text === shown) continue;
    shown = text;
    // What has arrived follows the schema as far as the model keeps to it.
    yield output as PartialOutput<unknown>;
  }
}
