import { t } from "@vscode/l10n";
import type { AgentEvent } from "../../../agent/types.ts";
import { visibleText } from "../../approvals/requestText.ts";
import { noticeLine, type WaitingItem } from "./activityBoard.ts";

/** What comes within this time is one notification. */
const gatheringMs = 1_000;
/** A run that took less is not waited for elsewhere. */
const longRunMs = 60_000;

export interface AwayNoticesOptions {
  /** The user sees the window. */
  isLooking(): boolean;
  /** All that waits, over all chats. */
  waiting(): readonly Pick<WaitingItem<unknown>, "id" | "agentPaths" | "what">[];
  show(text: string): unknown;
  /** Gives what cancels it. */
  later(run: () => void, delayMs: number): () => void;
}

/**
 * Notifications for a user who looks elsewhere: that something waits, or that a long run has ended. There is one for all
 * that comes until the window is looked at again.
 */
export class AwayNotices {
  readonly #options: AwayNoticesOptions;
  /** When the runs of root agents began, by agent id. */
  readonly #startedAt = new Map<string, number>();
  #known: ReadonlySet<string> = new Set();
  #ended: string[] = [];
  #cancel: (() => void) | undefined;
  #isShown = false;

  constructor(options: AwayNoticesOptions) {
    this.#options = options;
  }

  /** What waits has changed. */
  update(): void {
    const ids = new Set(this.#options.waiting().map(({ id }) => id));
    const isNew = [...ids].some((id) => !this.#known.has(id));
    this.#known = ids;
    if (isNew) this.#showSoon();
  }

  observe({ type, agent, timestamp, ...event }: AgentEvent, title: () => string): void {
    if (agent.depth > 0) return;
    if (type === "agent_start") this.#startedAt.set(agent.id, timestamp);
    if (type !== "agent_end") return;
    const startedAt = this.#startedAt.get(agent.id);
    this.#startedAt.delete(agent.id);
    const isStopped = "reason" in event && event.reason === "aborted";
    if (startedAt === undefined || isStopped || timestamp - startedAt < longRunMs) return;
    const hasFailed = "reason" in event && event.reason === "error";
    this.#ended.push(hasFailed ? t("Failed: {0}", noticeLine(title())) : t("Finished: {0}", noticeLine(title())));
    this.#showSoon();
  }

  /** The window is looked at: what was said is known. */
  look(): void {
    this.#isShown = false;
    this.#ended = [];
    this.dispose();
  }

  dispose(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #showSoon(): void {
    const { isLooking, later } = this.#options;
    if (isLooking() || this.#isShown || this.#cancel !== undefined) return;
    this.#cancel = later(() => {
      this.#cancel = undefined;
      const text = this.#text();
      if (text === undefined || isLooking()) return;
      this.#isShown = true;
      this.#options.show(text);
    }, gatheringMs);
  }

  /** Undefined where all was answered meanwhile, as from another window. */
  #text(): string | undefined {
    const [first, ...others] = this.#options.waiting();
    const parts = [...this.#ended];
    if (first !== undefined && others.length === 0) {
      const names = first.agentPaths.map((path) => path.map(visibleText).join(" › ")).join(", ");
      parts.unshift(t("{0} waits for you: {1}", names, noticeLine(first.what)));
    } else if (first !== undefined) parts.unshift(t("{0} requests wait for you", others.length + 1));
    return parts.length === 0 ? undefined : t("Arbor: {0}", parts.join(" · "));
  }
}
