import { Disposable, Uri, ViewColumn, type WebviewPanel, type WebviewPanelSerializer, window } from "vscode";
import type { Chat } from "../chat/chat.ts";
import type { Panel } from "./panel.ts";
import { openPage } from "./panelPage.ts";
import type { Panels } from "./panels.ts";

const chatTabType = "arbor.chatTab";

export interface ChatTabsDependencies {
  panels: Panels;
  extensionUri: Uri;
  makePanel(chat: Chat): Panel;
  /** The chat with that id, from its session if need be. */
  chatOf(chatId: string | undefined): Promise<Chat>;
  /** Called when a tab shows a chat. */
  onShow(): void;
  /** Called when a tab was closed. */
  onClose(panel: Panel): void;
}

interface ShownTab {
  tab: WebviewPanel;
  /** Updates its title. */
  named: Disposable;
  /** Follows its state. */
  following: Disposable;
}

/** Chats in editor tabs: the same page as the side-bar view's, and the same chat may be shown in both. */
export class ChatTabs implements WebviewPanelSerializer, Disposable {
  readonly #dependencies: ChatTabsDependencies;
  readonly #tabs = new Map<Panel, ShownTab>();
  readonly #serializer: Disposable;

  constructor(dependencies: ChatTabsDependencies) {
    this.#dependencies = dependencies;
    this.#serializer = window.registerWebviewPanelSerializer(chatTabType, this);
  }

  /** Shows the chat in a tab: the one that shows it already, or a new one. */
  open(chat: Chat): Panel {
    for (const [panel, { tab }] of this.#tabs) {
      if (panel.chat === chat) {
        tab.reveal();
        return panel;
      }
    }
    const column = { viewColumn: ViewColumn.Active, preserveFocus: false };
    return this.#show(window.createWebviewPanel(chatTabType, chat.title, column), chat);
  }

  /** A tab that the window had before it was reloaded; `state` is what its page saved. */
  async deserializeWebviewPanel(tab: WebviewPanel, state: unknown): Promise<void> {
    this.#show(tab, await this.#dependencies.chatOf(chatIdIn(state)));
  }

  /** The panel turned to another chat. */
  rename(panel: Panel): void {
    const shown = this.#tabs.get(panel);
    if (shown === undefined) return;
    shown.named.dispose();
    shown.named = nameAfter(panel.chat, shown.tab);
  }

  /** Closes the tabs that show the chat. */
  close(chat: Chat): void {
    for (const [panel, { tab }] of this.#tabs) if (panel.chat === chat) tab.dispose();
  }

  dispose(): void {
    this.#serializer.dispose();
    for (const { named, following } of this.#tabs.values()) Disposable.from(named, following).dispose();
  }

  #show(tab: WebviewPanel, chat: Chat): Panel {
    const { panels, extensionUri, makePanel, onShow, onClose } = this.#dependencies;
    const panel = makePanel(chat);
    const page = openPage(panel, { webview: tab.webview, extensionUri, place: "tab" });
    tab.iconPath = Uri.joinPath(extensionUri, "media", "agent.svg");
    const following = Disposable.from(
      tab.onDidChangeViewState(() => {
        panels.setActive(panel, tab.active);
        if (!tab.visible) page.hide();
      }),
      tab.onDidDispose(() => {
        following.dispose();
        page.dispose();
        this.#tabs.get(panel)?.named.dispose();
        this.#tabs.delete(panel);
        panels.remove(panel);
        onClose(panel);
      }),
    );
    this.#tabs.set(panel, { tab, named: nameAfter(chat, tab), following });
    panels.add(panel);
    panels.setActive(panel, tab.active);
    onShow();
    return panel;
  }
}

/** The tab has the chat's title, also when that changes. */
function nameAfter(chat: Chat, tab: WebviewPanel): Disposable {
  tab.title = chat.title;
  return chat.log.onAppend((entry) => {
    if ("host" in entry && entry.host.type === "chat_titled") tab.title = entry.host.title;
  });
}

/** What the page of a tab saved, as far as it names a chat. */
export function chatIdIn(state: unknown): string | undefined {
  if (typeof state !== "object" || state === null || !("chatId" in state)) return undefined;
  return typeof state.chatId === "string" ? state.chatId : undefined;
}
