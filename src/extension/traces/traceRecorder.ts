import type { AgentEvent } from "../../agent/index.ts";
import { foldSpans } from "./foldSpans.ts";
import type { OpenTrace } from "./openTrace.ts";
import type { SpanSender } from "./otlp/spanSender.ts";
import type { TraceFile, TraceFiles } from "./traceFiles.ts";

export interface TraceRecorderDependencies {
  /** Asked when a run begins. */
  isEnabled(): boolean;
  files: Pick<TraceFiles, "open">;
  sender: Pick<SpanSender, "send">;
  /** A trace can't be written; told once for each run. */
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
