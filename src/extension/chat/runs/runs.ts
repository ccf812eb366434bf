import { assertNever } from "../../../agent/index.ts";
import { ChatRuns, type ChatRunsDependencies, type RunsChat } from "./chatRuns.ts";
import type { RunsIntent } from "./runsIntent.ts";

export interface RunsDependencies extends ChatRunsDependencies {
  showTrace(): Promise<void>;
}

/** The runs of all chats. */
export class Runs<Chat extends RunsChat> {
  readonly #dependencies: RunsDependencies;
  readonly #chats = new WeakMap<Chat, ChatRuns>();

  constructor(dependencies: RunsDependencies) {
    this.#dependencies = dependencies;
  }

  of(chat: Chat): ChatRuns {
    const known = this.#chats.get(chat);
    if (known !== undefined) return known;
    const runs = new ChatRuns(chat, this.#dependencies);
    this.#chats.set(chat, runs);
    return runs;
  }

  async carryOut(chat: Chat, intent: RunsIntent): Promise<void> {
    switch (intent.type) {
      case "compact":
        return this.of(chat).compact(intent.agentId);
      case "setBudget":
        return this.of(chat).setBudget(intent.target, intent.limits);
      case "answerBudget":
        return this.of(chat).answerBudget(intent.questionId, intent.decision);
      case "showTrace":
        return this.#dependencies.showTrace();
      default:
        return assertNever(intent);
    }
  }
}
