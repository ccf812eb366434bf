import type { Attachment } from "../../protocol/hostEvents.ts";
import type { ModelProblem } from "../models/problems.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Chat, RunSummary } from "./chat.ts";
import { wordsOf } from "./messageQueue.ts";
import { noticeOf } from "./runNotice.ts";
import { attachmentsOf, composeUserMessage } from "./userMessage.ts";

export interface ConversationDependencies {
  /** The chat that is talked to, at each moment. */
  chat(): Chat;
  startNew(): void;
  workspace: Pick<Workspace, "read">;
  /** What stands between the chosen model and its answer, if anything. */
  findModelProblem(): Promise<ModelProblem | undefined>;
  /** Gives words back to the composer. */
  giveBack(text: string, attachments: readonly Attachment[]): void;
}

/** What the user says to the chat that a panel shows, wherever they say it. */
export class Conversation {
  readonly #dependencies: ConversationDependencies;

  constructor(dependencies: ConversationDependencies) {
    this.#dependencies = dependencies;
  }

  get current(): Chat {
    return this.#dependencies.chat();
  }

  startNew(): void {
    this.#dependencies.startNew();
  }

  /**
   * Sends the words. When no model could answer, the chat says so and the words go back to the composer: nothing is
   * lost, and nothing unanswered stands in the transcript.
   */
  async send(
    text: string,
    attachments: readonly Attachment[],
    whenBusy: "queue" | "steer",
  ): Promise<RunSummary | undefined> {
    if (text.trim() === "" && attachments.length === 0) return undefined;
    const chat = this.current;
    const problem = await this.#dependencies.findModelProblem();
    if (problem !== undefined) {
      chat.notices.clear();
      chat.notices.show(noticeOf("warning", problem));
      this.#dependencies.giveBack(text, attachments);
      return { reason: "error", text: "", error: problem.text };
    }
    const signal = new AbortController().signal;
    return chat.send(await composeUserMessage(text, attachments, this.#dependencies.workspace, signal), whenBusy);
  }

  /** Takes a queued message back into the composer, with what it carries. */
  editQueued(messageId: string): void {
    const message = this.current.removeQueued(messageId);
    if (message !== undefined) this.#dependencies.giveBack(wordsOf(message), attachmentsOf(message));
  }

  /** A word to one agent of the tree. */
  async messageAgent(agentId: string, text: string): Promise<void> {
    if (text.trim() === "") return;
    const chat = this.current;
    const message = await composeUserMessage(text, [], this.#dependencies.workspace, new AbortController().signal);
    if (chat.steer(agentId, message)) return;
    const what = { text: "This agent has ended, so it can't hear you any more. Tell main instead.", actions: [] };
    chat.notices.show(noticeOf("info", what));
    this.#dependencies.giveBack(text, []);
  }
}
