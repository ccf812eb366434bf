import * as vscode from "vscode";
import type { Panel } from "./panel.ts";
import { openPage } from "./panelPage.ts";

/** As the manifest declares the view. */
export const chatViewId = "arbor.chat";

/**
 * The side-bar view. The editor disposes it and asks for a new one whenever it is closed or moved, so nothing but the
 * current view is held here; what it shows is the panel's.
 */
export class ChatView implements vscode.WebviewViewProvider {
  readonly panel: Panel;
  readonly #extensionUri: vscode.Uri;
  readonly #ready: Promise<void>;
  #view: vscode.WebviewView | undefined;
  #badge: vscode.ViewBadge | undefined;

  /** `ready` resolves when the panel shows the chat that it showed before the window was reloaded. */
  constructor(panel: Panel, extensionUri: vscode.Uri, ready: Promise<void>) {
    this.#ready = ready;
    this.panel = panel;
    this.#extensionUri = extensionUri;
  }

  async resolveWebviewView(view: vscode.WebviewView): Promise<void> {
    await this.#ready;
    const page = openPage(this.panel, { webview: view.webview, extensionUri: this.#extensionUri, place: "view" });
    this.#view = view;
    view.badge = this.#badge;
    const following = vscode.Disposable.from(
      view.onDidChangeVisibility(() => {
        if (!view.visible) page.hide();
      }),
      view.onDidDispose(() => {
        following.dispose();
        page.dispose();
        if (this.#view === view) this.#view = undefined;
      }),
    );
  }

  setBadge(value: number, tooltip: string): void {
    this.#badge = value === 0 ? undefined : { value, tooltip };
    if (this.#view !== undefined) this.#view.badge = this.#badge;
  }
}

/** Brings the panel into view; the caret stays where the user types. */
export async function revealPanel(): Promise<void> {
  await vscode.commands.executeCommand(`${chatViewId}.focus`, { preserveFocus: true });
}

/** Brings the panel into view and puts the caret into it. */
export async function focusPanel(): Promise<void> {
  await vscode.commands.executeCommand(`${chatViewId}.focus`);
}
