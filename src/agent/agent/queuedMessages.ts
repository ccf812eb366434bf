import type { QueueName } from "../loop/runState.ts";
import type { RunOptions, RunResult } from "../loop/runTypes.ts";
import { isInToolOf } from "../loop/toolScope.ts";
import { abortedError, onAbort } from "../vocabulary/abort.ts";
import { AgentError } from "../vocabulary/errors.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import { type Input, type QueueHandle, toMessages } from "./agentOptions.ts";
import type { AgentInternals } from "./agentParts.ts";
import type { RunStream } from "./agentStream.ts";

/** A run that queued messages are delivered to. */
export interface DeliveringRun {
  done: Promise<RunResult>;
  /** Streams of queued sends that this run has delivered. */
  delivered: RunStream[];
}

interface QueueingRuns {
  running(): DeliveringRun | undefined;
  refuse(error: AgentError, stream?: RunStream): Promise<RunResult>;
}

/** Messages that wait for a run, and the callers that wait for their results. */
export class QueuedMessages {
  readonly #parts: AgentInternals;
  readonly #runs: QueueingRuns;

  constructor(parts: AgentInternals, runs: QueueingRuns) {
    this.#parts = parts;
    this.#runs = runs;
  }

  /** The messages with ids that neither transcript nor queues have. */
  withOwnIds(messages: AgentMessage[]): AgentMessage[] {
    const { history, queues } = this.#parts;
    return history.withOwnIds(messages, queues.messageIds);
  }

  enqueue(name: QueueName, input: Input): QueueHandle {
    const handle = this.#parts.queues.add(name, this.withOwnIds(toMessages(input)));
    this.emitQueueUpdate();
    return handle;
  }

  cancelQueued(handle: QueueHandle): boolean {
    const wasWaiting = this.#parts.queues.cancel(handle);
    if (wasWaiting) this.emitQueueUpdate();
    return wasWaiting;
  }

  /** Publishes how much is queued; while idle, nothing waits for that. */
  emitQueueUpdate(delivery?: { delivered: AgentMessage; kind: QueueName }): void {
    if (this.#runs.running() === undefined) return;
    const { node, queues } = this.#parts;
    node.emit({
      type: "queue_update",
      steering: queues.count("steering"),
      followUp: queues.count("followUp"),
      ...delivery,
    });
  }

  drain(name: QueueName): AgentMessage[] {
    return this.#parts.queues.drain(name, (delivered) => this.emitQueueUpdate({ delivered, kind: name }));
  }

  /** Queues what was sent; resolves with the run that it is delivered to. */
  wait(name: QueueName, messages: AgentMessage[], options: RunOptions, stream?: RunStream): Promise<RunResult> {
    const { node, queues } = this.#parts;
    if (stream === undefined && isInToolOf(node)) {
      queues.add(name, messages);
      this.emitQueueUpdate();
      return this.#runs.refuse(new AgentError("busy", ownToolText));
    }
    const { signal } = options;
    const { promise, resolve } = Promise.withResolvers<RunResult>();
    const handle = queues.add(name, messages, {
      onDelivered: () => {
        if (stream !== undefined) {
          node.attach(stream);
          this.#runs.running()?.delivered.push(stream);
        }
        void this.#runs.running()?.done.then(resolve);
      },
      onDropped: () => {
        const error = signal?.aborted
          ? abortedError(signal)
          : new AgentError("aborted", "The queued message was removed.");
        resolve(this.#runs.refuse(error, stream));
      },
    });
    const cancel = () => {
      if (queues.cancel(handle)) this.emitQueueUpdate();
    };
    const listening = signal && onAbort(signal, cancel);
    if (!signal?.aborted) this.emitQueueUpdate();
    return promise.finally(() => listening?.dispose());
  }
}

const ownToolText =
  "The message is queued, but its own agent's tool can't wait for it: the run waits for the tool. Use followUp or steer.";
