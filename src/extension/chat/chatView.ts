import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { intentSchema } from "../../protocol/intents.ts";
import type { HostMessage, Intent, PanelStatus } from "../../protocol/messages.ts";
import { Channel } from "./channel.ts";
import type { Chat } from "./chat.ts";
import { panelHtml } from "./panelHtml.ts";

export const chatViewId = "arbor.chat";

export interface ChatViewDependencies {
  extensionUri: vscode.Uri;
  currentChat(): Chat;
  status(): PanelStatus;
  /** Everything but what concerns the view itself. */
  carryOut(intent: Intent): void;
  warn(message: string): void;
}

/**
 * The side-bar view. The editor disposes it and asks for a new one whenever it is closed or moved, so nothing but the
 * current webview's channel is kept here.
 */
export class ChatView implements vscode.WebviewViewProvider {
  readonly #dependencies: ChatViewDependencies;
  #view: vscode.WebviewView | undefined;
  #channel: Channel | undefined;
  /** Messages for a panel that is not up yet. */
  #waiting: HostMessage[] = [];
  #isUp = false;

  constructor(dependencies: ChatViewDependencies) {
    this.#dependencies = dependencies;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { extensionUri } = this.#dependencies;
    const { webview } = view;
    webview.options = {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(extensionUri, "dist", "webview")],
    };
    const channel = new Channel(this.#dependencies.currentChat(), (json) => void webview.postMessage(json));
    this.#release();
    this.#view = view;
    this.#channel = channel;
    webview.onDidReceiveMessage((raw: unknown) => this.#receive(raw, channel));
    view.onDidChangeVisibility(() => {
      if (view.visible) return;
      // The page is gone while hidden; when it is shown again it loads anew and says `ready`.
      this.#isUp = false;
      channel.pause();
    });
    view.onDidDispose(() => {
      if (this.#view === view) this.#release();
    });
    webview.html = this.#html(webview);
  }

  /** Shows another chat in the panel. */
  show(chat: Chat): void {
    if (this.#isUp) this.#channel?.show(chat, this.#dependencies.status());
    else this.#channel?.turnTo(chat);
  }

  /** Sends to the panel, now or as soon as it is up. */
  send(message: HostMessage): void {
    if (this.#isUp) this.#channel?.send(message);
    else if (message.type !== "status") this.#waiting.push(message);
  }

  setBadge(count: number, tooltip: string): void {
    if (this.#view !== undefined) this.#view.badge = count === 0 ? undefined : { value: count, tooltip };
  }

  #receive(raw: unknown, channel: Channel): void {
    const parsed = intentSchema.safeParse(raw);
    if (!parsed.success) {
      this.#dependencies.warn(`Dropped a malformed message of the panel: ${parsed.error.issues[0]?.message ?? ""}`);
      return;
    }
    const intent = parsed.data;
    switch (intent.type) {
      case "ready":
        this.#resume(intent, channel);
        break;
      case "openAgent":
        channel.openAgent(intent.agentId);
        break;
      case "closeAgent":
        channel.closeAgent(intent.agentId);
        break;
      default:
        this.#dependencies.carryOut(intent);
    }
  }

  #resume(intent: Extract<Intent, { type: "ready" }>, channel: Channel): void {
    const { chatId, lastSeq } = intent;
    const known = chatId === undefined || lastSeq === undefined ? undefined : { chatId, lastSeq };
    channel.resume(known, this.#dependencies.status());
    this.#isUp = true;
    for (const message of this.#waiting.splice(0)) channel.send(message);
  }

  #release(): void {
    this.#channel?.dispose();
    this.#channel = undefined;
    this.#view = undefined;
    this.#isUp = false;
  }

  #html(webview: vscode.Webview): string {
    const resource = (name: string) =>
      webview.asWebviewUri(vscode.Uri.joinPath(this.#dependencies.extensionUri, "dist", "webview", name)).toString();
    return panelHtml({
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString("base64url"),
      script: resource("panel.js"),
      styles: [resource("codicon.css"), resource("panel.css")],
    });
  }
}
