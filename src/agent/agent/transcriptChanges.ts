import { AgentError } from "../vocabulary/errors.ts";
import type { AgentMessage, SummaryMessage } from "../vocabulary/messages.ts";
import type { AgentInternals } from "./agentParts.ts";
import type { AgentRuns } from "./agentRuns.ts";

/** Changes of an agent's transcript between runs. Each is refused while it runs. */
export class TranscriptChanges {
  readonly #parts: AgentInternals;
  readonly #runs: AgentRuns;

  constructor(parts: AgentInternals, runs: AgentRuns) {
    this.#parts = parts;
    this.#runs = runs;
  }

  add(messages: readonly AgentMessage[]): void {
    const { history, session } = this.#parts;
    this.#refuseWhileRunning();
    const added = history.withOwnIds(messages, new Set());
    history.replace([...history.messages, ...added]);
    for (const message of added) session?.append(message);
    this.#runs.emitTranscript("added");
  }

  /** Forgets transcript, error and queues; settings and what was spent stay. */
  reset(): void {
    const { history, queues } = this.#parts;
    this.#refuseWhileRunning();
    history.replace([]);
    history.errorMessage = undefined;
    queues.clear();
    this.#runs.emitTranscript("reset");
  }

  /** A summary in place of everything before it. */
  async checkpoint(text: string): Promise<void> {
    const { history, session } = this.#parts;
    this.#refuseWhileRunning();
    const summary: SummaryMessage = { role: "summary", id: crypto.randomUUID(), text, timestamp: Date.now() };
    history.replace([...history.messages, summary]);
    session?.append(summary);
    this.#runs.emitTranscript("checkpoint");
    await session?.flush();
  }

  /** Removes a message and all that followed it, of every agent that shares the session. What was spent stays. */
  async rewindTo(messageId: string): Promise<void> {
    const { node, session } = this.#parts;
    this.#refuseWhileRunning();
    if (session === undefined) return;
    if (await session.truncateFrom(messageId)) await node.session.reload();
  }

  /** After a rewind by any agent of the session. */
  async reload(): Promise<void> {
    const { history, session } = this.#parts;
    if (session === undefined || this.#runs.isRunning) return;
    const { messages } = await session.read();
    if (messages.length === history.messages.length) return;
    history.replace(messages);
    this.#runs.emitTranscript("rewind");
  }

  #refuseWhileRunning(): void {
    if (this.#runs.isRunning) {
      throw new AgentError("busy", "The transcript cannot be changed while the agent runs; stop it first.");
    }
  }
}
