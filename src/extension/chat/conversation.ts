import { t } from "@vscode/l10n";
import type { UserMessage } from "../../agent/index.ts";
import { type AgentAttachment, type Attachment, attachmentsOf } from "../../protocol/attachments.ts";
import { type ModelProblem, noImagesProblem } from "../models/problems.ts";
import type { Chat, RunSummary } from "./chat.ts";
import { withMentions } from "./compose/attach/mentions.ts";
import type { AttachmentSources } from "./compose/attach/sources.ts";
import { composeUserMessage } from "./compose/userMessage.ts";
import { wordsOf } from "./messageQueue.ts";
import { noticeOf } from "./notices.ts";

export interface ConversationDependencies {
  /** The chat that is talked to, at each moment. */
  chat(): Chat;
  startNew(): void;
  /** The chat to go on in where this one can only be read, which is shown instead. Default: none can only be read. */
  writable?(chat: Chat): Promise<Chat>;
  /** Where attachments get what they bring. */
  sources: AttachmentSources;
  /** The chosen model: its name, and whether it is known to take no pictures. */
  model(): { label: string; images?: boolean };
  /** Until a mode or model that was just chosen is in the settings; undefined where that waits for nothing. */
  settingsWrites(): Promise<unknown> | undefined;
  /** What is between the chosen model and its answer, if anything. */
  findModelProblem(): Promise<ModelProblem | undefined>;
  /** What hooks make of a message before it is sent, or why they block it. Default: it stays as it is. */
  revise?(
    chat: Chat,
    message: UserMessage,
    signal: AbortSignal,
  ): Promise<{ message: UserMessage } | { blocked: string }>;
  /** Gives words back to the composer. */
  returnToComposer(text: string, attachments: readonly Attachment[]): void;
}

interface Said {
  text: string;
  attachments: readonly Attachment[];
  whenBusy: "queue" | "steer";
  signal: AbortSignal | undefined;
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
   * lost, and nothing unanswered is in the transcript.
   */
  async send(
    text: string,
    attachments: readonly Attachment[],
    whenBusy: "queue" | "steer",
    signal?: AbortSignal,
  ): Promise<RunSummary | undefined> {
    if (text.trim() === "" && attachments.length === 0) return undefined;
    const shown = this.current;
    // Nothing is waited for but where it must be: a stop that comes now means this message.
    const chat = shown.isReadOnly ? await this.#writable(shown) : shown;
    const heldId = chat.held.add(text, attachments);
    try {
      return await this.#sendHeld(chat, { heldId, text, attachments, whenBusy, signal });
    } finally {
      chat.held.release(heldId);
    }
  }

  async #sendHeld(chat: Chat, o: Said & { heldId: string }): Promise<RunSummary | undefined> {
    const { text, attachments } = o;
    const { nextStop } = chat;
    await this.#dependencies.settingsWrites();
    const problem = (await this.#dependencies.findModelProblem()) ?? this.#problemWith(attachments);
    if (problem !== undefined) {
      chat.notices.clear();
      chat.notices.show(noticeOf("warning", problem));
      this.#dependencies.returnToComposer(text, attachments);
      return { reason: "error", text: "", error: problem.text };
    }
    const meant = await withMentions(text, attachments, this.#dependencies.sources);
    const running = meant.find(isRunningAgent);
    const others = meant.filter((attachment) => attachment !== running);
    const message = { ...(await this.#compose(text, others)), id: o.heldId };
    if (nextStop.aborted) {
      this.#dependencies.returnToComposer(text, attachments);
      return { reason: "aborted", text: "" };
    }
    if (running === undefined) return this.#sendRevised(chat, { ...o, message });
    chat.held.release(o.heldId);
    if (!chat.steer(running.agentId, message)) this.#returnUndelivered(chat, text, attachments);
    return undefined;
  }

  async #sendRevised(chat: Chat, o: Said & { message: UserMessage }): Promise<RunSummary> {
    const { revise, returnToComposer } = this.#dependencies;
    if (revise === undefined) return this.#sendMessage(chat, o);
    const { nextStop } = chat;
    const revised = await revise(chat, o.message, nextStop).catch((error: unknown) => {
      if (nextStop.aborted) return undefined;
      returnToComposer(o.text, o.attachments);
      throw error;
    });
    if (revised === undefined || nextStop.aborted) {
      returnToComposer(o.text, o.attachments);
      return { reason: "aborted", text: "" };
    }
    if ("message" in revised) return this.#sendMessage(chat, { ...o, message: revised.message });
    const text = t("A hook did not let this message through: {0}", revised.blocked);
    chat.notices.clear();
    chat.notices.show(noticeOf("warning", { text, actions: [] }));
    returnToComposer(o.text, o.attachments);
    return { reason: "error", text: "", error: text };
  }

  async #sendMessage(chat: Chat, o: Said & { message: UserMessage }): Promise<RunSummary> {
    const summary = await chat.send(o.message, o.whenBusy, o.signal);
    if (summary.isUnsent) this.#dependencies.returnToComposer(o.text, o.attachments);
    return summary;
  }

  /** Moves a queued message back into the composer, with its attachments. */
  editQueued(messageId: string): void {
    const message = this.current.removeQueued(messageId);
    if (message !== undefined) this.#dependencies.returnToComposer(wordsOf(message), attachmentsOf(message));
  }

  /** Sends a message to one agent of the tree. */
  async messageAgent(agentId: string, text: string): Promise<void> {
    if (text.trim() === "") return;
    const chat = this.current;
    await this.#dependencies.settingsWrites();
    if (!chat.steer(agentId, await this.#compose(text, []))) this.#returnUndelivered(chat, text, []);
  }

  async #writable(chat: Chat): Promise<Chat> {
    return (await this.#dependencies.writable?.(chat)) ?? chat;
  }

  #compose(text: string, attachments: readonly Attachment[]): Promise<UserMessage> {
    const { sources, model } = this.#dependencies;
    const { signal } = new AbortController();
    return composeUserMessage(text, attachments, { sources, takesImages: model().images !== false, signal });
  }

  #problemWith(attachments: readonly Attachment[]): ModelProblem | undefined {
    const { label, images } = this.#dependencies.model();
    const isBlind = images === false && attachments.some(({ kind }) => kind === "image");
    return isBlind ? noImagesProblem(label) : undefined;
  }

  #returnUndelivered(chat: Chat, text: string, attachments: readonly Attachment[]): void {
    const what = { text: t("This agent has ended. Message main instead."), actions: [] };
    chat.notices.show(noticeOf("info", what));
    this.#dependencies.returnToComposer(
      text,
      attachments.filter((attachment) => !isRunningAgent(attachment)),
    );
  }
}

function isRunningAgent(attachment: Attachment): attachment is AgentAttachment & { agentId: string } {
  return attachment.kind === "agent" && attachment.agentId !== undefined;
}
