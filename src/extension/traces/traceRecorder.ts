import type { AgentEvent } from "../../agent/index.ts";
import { coalescedRuns } from "../common/coalescedRuns.ts";
import type { Span } from "./attributes.ts";
import { foldSpans, type OpenTrace } from "./foldSpans.ts";
import type { TraceFile, TraceFiles } from "./traceFiles.ts";

export interface TraceRecorderDependencies {
  /** Asked when a run begins. */
  isEnabled(): boolean;
  files: Pick<TraceFiles, "open">;
  sender: Pick<SpanSender, "send">;
  /** Called once for each run whose trace can't be written. */
  warn(message: string): void;
}

interface Recording {
  open: OpenTrace | undefined;
  file: Promise<TraceFile | undefined>;
}

/** Writes a trace of each run, of all chats. */
export class TraceRecorder {
  readonly #dependencies: TraceRecorderDependencies;
  /** By session. */
  readonly #recordings = new Map<string, Recording>();
  #last: Promise<void> = Promise.resolve();

  constructor(dependencies: TraceRecorderDependencies) {
    this.#dependencies = dependencies;
  }

  /** Of every event of every agent, in order. */
  observe(event: AgentEvent): void {
    // What runs by the thousand has no part in a trace.
    if (event.type === "message_update" || event.type === "tool_execution_update") return;
    const isStart = event.type === "agent_start" && event.agent.depth === 0;
    if (isStart) this.#recordings.delete(event.sessionId);
    const recording = this.#recordings.get(event.sessionId);
    if (recording === undefined && !(isStart && this.#dependencies.isEnabled())) return;
    const { open, ended } = foldSpans(recording?.open, event);
    if (open === undefined) this.#recordings.delete(event.sessionId);
    const file = recording?.file ?? this.#openFile(event.timestamp, open?.traceId ?? "");
    if (open !== undefined) this.#recordings.set(event.sessionId, { open, file });
    if (ended.length === 0) return;
    this.#dependencies.sender.send(ended, { isLast: open === undefined });
    this.#last = Promise.all([this.#last, file.then((opened) => opened?.append(ended)).catch(this.#warn)]).then(
      () => {},
    );
  }

  /** Resolves when all spans so far are written. */
  settled(): Promise<void> {
    return this.#last;
  }

  #openFile(startTime: number, traceId: string): Promise<TraceFile | undefined> {
    return this.#dependencies.files.open(startTime, traceId).catch(this.#warn);
  }

  readonly #warn = (error: unknown): undefined => {
    this.#dependencies.warn(
      `The trace could not be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  };
}

/** Sends spans somewhere; rejects when they did not get there. */
export interface SpanExporter {
  export(spans: readonly Span[]): Promise<void>;
  shutdown(): Promise<void>;
}

export interface SpanSenderDependencies {
  /** Asked with each batch; "" sends nothing. */
  endpoint(): string;
  /** Loads with the first batch. */
  connect(endpoint: string): Promise<SpanExporter>;
  /** Called once, until sending works again. */
  warn(message: string): void;
}

const maxQueueLength = 2_048;
const batchSize = 512;

/** Sends spans in batches beside the runs: what can't be sent in time is left out, and no run waits or fails for it. */
export class SpanSender {
  readonly #dependencies: SpanSenderDependencies;
  #queue: Span[] = [];
  readonly #send = coalescedRuns(() => this.#sendAll());
  #sending: Promise<void> | undefined;
  #connected: { endpoint: string; exporter: SpanExporter } | undefined;
  #hasWarned = false;

  constructor(dependencies: SpanSenderDependencies) {
    this.#dependencies = dependencies;
  }

  /** With the last spans of a run, what waits is sent. */
  send(spans: readonly Span[], { isLast }: { isLast: boolean }): void {
    if (this.#dependencies.endpoint() === "") return;
    const room = maxQueueLength - this.#queue.length;
    this.#queue.push(...spans.slice(0, room));
    if (spans.length > room) this.#warn("it is too slow, so some spans were left out");
    if (!isLast && this.#queue.length < batchSize) return;
    this.#sending = this.#send();
  }

  /** Resolves when nothing is being sent. */
  async settled(): Promise<void> {
    await this.#sending;
  }

  async dispose(): Promise<void> {
    this.#queue = [];
    await this.#connected?.exporter.shutdown().catch(() => {
      // The editor ends; there is no one left to inform.
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, batchSize);
      try {
        const exporter = await this.#exporter();
        await exporter?.export(batch);
        this.#hasWarned = false;
      } catch (error) {
        this.#warn(error instanceof Error ? error.message : String(error));
      }
    }
  }

  async #exporter(): Promise<SpanExporter | undefined> {
    const endpoint = this.#dependencies.endpoint();
    if (endpoint === "") return undefined;
    if (this.#connected?.endpoint === endpoint) return this.#connected.exporter;
    const previous = this.#connected;
    this.#connected = { endpoint, exporter: await this.#dependencies.connect(endpoint) };
    await previous?.exporter.shutdown();
    return this.#connected.exporter;
  }

  #warn(reason: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#dependencies.warn(reason);
  }
}
