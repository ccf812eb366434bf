import { t } from "@vscode/l10n";
import * as z from "zod";
import { attachmentsSchema } from "../../protocol/attachmentSchema.ts";
import { intentSchema, maxIntentText } from "../../protocol/intents.ts";
import type { HostMessage, Intent, PanelStatus } from "../../protocol/messages.ts";
import type { Suggestion, SuggestionKind } from "../../protocol/suggestions.ts";
import type { Chat } from "../chat/chat.ts";
import { UserError } from "../common/userError.ts";
import { Channel, type MessageTarget } from "./channel/channel.ts";

export interface PanelDependencies {
  status(): PanelStatus;
  /** Everything but what concerns the page itself. */
  onIntent(intent: Intent, panel: Panel): void;
  /** What may be meant by what is typed after an `@`. Before all of it is found, `offer` may be called with a part. */
  suggest(
    kind: SuggestionKind,
    query: string,
    signal: AbortSignal,
    offer: (known: Suggestion[]) => void,
  ): Promise<Suggestion[]>;
  warn(message: string): void;
  reportFailure(error: unknown): void;
  /** Called when a page has loaded again: it knows nothing of what the one before had asked for. */
  onLoad(panel: Panel): void;
  /** Called after the panel changed from `before` to another chat. */
  onTurn(panel: Panel, before: Chat): void;
}

/** Receives the events of a page. */
export interface PanelPage {
  receive(raw: unknown): void;
  /** The page is unloaded while hidden; when it is shown again it loads again and says `ready`. */
  hide(): void;
  dispose(): void;
}

/**
 * Shows one chat: the side-bar view or an editor tab. What is done in it concerns that chat alone. Its page may
 * go and come back at any time.
 */
export class Panel {
  readonly #dependencies: PanelDependencies;
  #chat: Chat;
  #channel: Channel | undefined;
  /** Messages for a page that is not up yet. */
  #waiting: HostMessage[] = [];
  #isUp = false;
  #suggesting: AbortController | undefined;

  constructor(chat: Chat, dependencies: PanelDependencies) {
    this.#chat = chat;
    this.#dependencies = dependencies;
  }

  get chat(): Chat {
    return this.#chat;
  }

  /** Replaces the page by another one. */
  connect(webview: MessageTarget): PanelPage {
    const channel = new Channel(this.#chat, webview);
    this.#release();
    this.#channel = channel;
    const ifCurrent = (act: () => void) => {
      if (this.#channel === channel) act();
    };
    return {
      receive: (raw) => this.#receive(raw, channel),
      hide: () =>
        ifCurrent(() => {
          this.#isUp = false;
          channel.pause();
        }),
      dispose: () => ifCurrent(() => this.#release()),
    };
  }

  /** Shows another chat. */
  show(chat: Chat): void {
    const before = this.#chat;
    if (before === chat) return;
    this.#chat = chat;
    if (this.#isUp) this.#channel?.show(chat, this.#dependencies.status());
    else this.#channel?.turnTo(chat);
    this.#dependencies.onTurn(this, before);
  }

  /** Sends to the page, now or as soon as it is up. */
  send(message: HostMessage): void {
    if (this.#isUp) this.#channel?.send(message);
    else if (!isAskedAgain(message)) this.#waiting.push(message);
  }

  #receive(raw: unknown, channel: Channel): void {
    const parsed = intentSchema.safeParse(raw);
    if (!parsed.success) {
      this.#dependencies.warn(`Dropped a malformed message of the panel: ${parsed.error.issues[0]?.message ?? ""}`);
      this.#returnTooLong(raw);
      return;
    }
    const intent = parsed.data;
    switch (intent.type) {
      case "ready":
        // It may come from a page that is replaced, or gone, by now.
        if (channel === this.#channel) this.#resume(intent, channel);
        break;
      case "openAgent":
        void channel.openAgent(intent.agentId).catch(this.#dependencies.reportFailure);
        break;
      case "closeAgent":
        channel.closeAgent(intent.agentId);
        break;
      case "suggest":
        void this.#suggest(intent, channel);
        break;
      default:
        this.#dependencies.onIntent(intent, this);
    }
  }

  /** A text that is too long is not dropped without a word, and what was to be sent is in the composer again. */
  #returnTooLong(raw: unknown): void {
    const { data } = tooLongSchema.safeParse(raw);
    if (data === undefined) return;
    this.#dependencies.reportFailure(new UserError(t("This text is longer than 5 million characters.")));
    if (data.type === "send") this.send({ type: "compose", text: data.text, attachments: data.attachments });
  }

  /** Only the latest question of a page is answered. */
  async #suggest({ requestId, kind, query }: Extract<Intent, { type: "suggest" }>, channel: Channel): Promise<void> {
    this.#suggesting?.abort();
    const asking = new AbortController();
    this.#suggesting = asking;
    try {
      const offer = (items: Suggestion[]) => {
        if (!asking.signal.aborted) channel.send({ type: "suggestions", requestId, items });
      };
      offer(await this.#dependencies.suggest(kind, query, asking.signal, offer));
    } catch (error) {
      if (asking.signal.aborted) return;
      this.#dependencies.warn(`Nothing could be suggested: ${error instanceof Error ? error.message : String(error)}`);
      channel.send({ type: "suggestions", requestId, items: [] });
    }
  }

  #resume(intent: Extract<Intent, { type: "ready" }>, channel: Channel): void {
    const { chatId, lastSeq } = intent;
    const known = chatId === undefined || lastSeq === undefined ? undefined : { chatId, lastSeq };
    channel.resume(known, this.#dependencies.status());
    this.#isUp = true;
    if (lastSeq === undefined) this.#dependencies.onLoad(this);
    for (const message of this.#waiting.splice(0)) channel.send(message);
  }

  #release(): void {
    this.#suggesting?.abort();
    this.#channel?.dispose();
    this.#channel = undefined;
    this.#isUp = false;
  }
}

/** Intents with a text that the user wrote. Another one that is too long is dropped silently, and so is a draft, which is sent again. */
const tooLongSchema = z.object({
  type: z.enum(["send", "messageAgent", "answerQuestion", "copy", "insertAtCursor", "applyCode"]),
  text: z.string().min(maxIntentText + 1),
  attachments: attachmentsSchema.catch([]),
});

/** What a page asks for, or is given, when it comes up. */
function isAskedAgain({ type }: HostMessage): boolean {
  return type === "status" || type === "history" || type === "prompts";
}
