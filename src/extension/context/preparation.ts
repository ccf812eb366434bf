import type { IterationInfo } from "../../agent/vocabulary/hooks.ts";
import type { AgentMessage } from "../../agent/vocabulary/messages.ts";
import { requestSummary } from "./summaryRequest.ts";

/** A summary that was asked for ahead of need. */
interface Prepared {
  /** What it stands for, in order; an earlier summary is the first. */
  ids: readonly string[];
  text: Promise<string | undefined>;
  controller: AbortController;
}

/** Writes a summary while the run goes on, so that nobody waits for it when it is due. */
export class Preparation {
  #prepared: Prepared | undefined;
  #isUnderWay = false;

  /** Starts one for these messages, unless there is one that they continue. */
  start(covered: readonly AgentMessage[], info: IterationInfo): void {
    if (covered.length === 0 || (this.#prepared !== undefined && isPrefix(this.#prepared.ids, covered))) return;
    this.#prepared?.controller.abort();
    const controller = new AbortController();
    this.#isUnderWay = true;
    const text = requestSummary(covered, info, controller.signal)
      // It was asked for ahead of need: when the need comes, it is asked for again.
      .catch(() => undefined)
      .finally(() => {
        if (this.#prepared?.controller === controller) this.#isUnderWay = false;
      });
    this.#prepared = { ids: covered.map(({ id }) => id), text, controller };
  }

  /** The summary and how many of the messages it stands for; undefined when there is none that fits them. */
  async take(messages: readonly AgentMessage[]): Promise<{ text: string; covered: number } | undefined> {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (prepared === undefined || !isPrefix(prepared.ids, messages)) {
      prepared?.controller.abort();
      return undefined;
    }
    const text = await prepared.text;
    return text === undefined ? undefined : { text, covered: prepared.ids.length };
  }

  /** A run has ended: what is not written yet is given up, since no request outlives its run. */
  async leave(): Promise<void> {
    if (!this.#isUnderWay) return;
    const prepared = this.#prepared;
    this.#prepared = undefined;
    this.#isUnderWay = false;
    prepared?.controller.abort();
    await prepared?.text;
  }
}

/** Whether these messages begin with those of the ids: a rewind or another summary makes them others. */
function isPrefix(ids: readonly string[], messages: readonly AgentMessage[]): boolean {
  return ids.length <= messages.length && ids.every((id, index) => messages[index]?.id === id);
}
