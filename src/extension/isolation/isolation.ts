import { join } from "node:path";
import type { StartingTask } from "../../agent/toolkits/delegation.ts";
import { orRefusal } from "../tools/refusal.ts";
import { type ComparisonOptions, Comparisons } from "./comparisons.ts";
import { type IsolatingChat, runIsolated } from "./isolatedAgents.ts";
import { removeOldChanges } from "./storedChanges.ts";
import { Worktrees, type WorktreesOptions } from "./worktrees.ts";

export type { IsolatingChat } from "./isolatedAgents.ts";

export interface IsolationOptions extends WorktreesOptions, ComparisonOptions {
  /** The one open folder, absolute. Throws a `UserError` where no agent can be isolated. */
  folder(): string;
}

/** Agents in worktrees of their own, and what is compared of several of them. */
export class Isolation {
  readonly comparisons: Comparisons;
  readonly #options: IsolationOptions;
  readonly #worktrees: Worktrees;
  /** What an editor left that was killed is removed first. */
  readonly #cleaned: Promise<number>;

  constructor(options: IsolationOptions) {
    this.#options = options;
    this.#worktrees = new Worktrees(options);
    this.comparisons = new Comparisons(options);
    this.#cleaned = this.#clean();
  }

  async #clean(): Promise<number> {
    const removed = await this.#worktrees.cleanUp().catch(() => 0);
    // Of tasks that never went on, and comparisons of chats that are deleted.
    for (const name of ["cutOff", "compared"]) {
      await removeOldChanges(join(this.#options.storage, name)).catch(() => undefined);
    }
    return removed;
  }

  /** Begins a task in a worktree. */
  async begin(task: StartingTask, chat: IsolatingChat): ReturnType<StartingTask["run"]> {
    await this.#cleaned;
    let folder = "";
    const refused = await orRefusal(async () => {
      folder = this.#options.folder();
      if (!chat.isForeign(task.agent)) return { content: "" };
      const content = `${task.agent} is a program of its own and can't be isolated. Give the task with isolation "shared".`;
      return { content, isError: true };
    });
    if (refused.isError === true) return { result: refused };
    const compared = chat.comparisons().some(({ id }) => id === task.context.callId);
    return compared
      ? this.comparisons.run(this.#worktrees, folder, task, chat)
      : runIsolated(this.#worktrees, folder, task, chat);
  }

  /** Throws a `UserError` that says why no agent can be isolated now. */
  async check(): Promise<void> {
    await this.#worktrees.check(this.#options.folder());
  }

  /** Resolves when what earlier editors left is gone. */
  async ready(): Promise<void> {
    await this.#cleaned;
  }

  /** Removes worktrees that no agent works in. Gives their number. */
  async cleanUp(): Promise<number> {
    return (await this.#cleaned) + (await this.#worktrees.cleanUp({ forgets: true }));
  }
}
