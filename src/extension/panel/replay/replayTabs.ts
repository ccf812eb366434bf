import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import * as vscode from "vscode";
import type { HostMessage, PageTheme, TimedEntry } from "../../../protocol/messages.ts";
import { replayRequestSchema } from "../../../protocol/replayRequests.ts";
import type { Chat } from "../../chat/chat.ts";
import { SessionGone, type SessionStorage } from "../../sessions/session.ts";
import { stripEntry } from "../channel/stripEntry.ts";
import { showFileInFolder } from "../history/exportFiles.ts";
import { fileNameOf } from "../history/historyActions.ts";
import { panelHtml } from "../panelHtml.ts";
import type { Recordings } from "../recordings.ts";
import { createMask } from "./maskSecrets.ts";
import { pageData } from "./pageData.ts";
import { replayHtml, withFiles } from "./replayHtml.ts";

const replayTabType = "arbor.replayTab";

export interface ReplayDependencies {
  extensionUri: vscode.Uri;
  sessions: Pick<SessionStorage, "list" | "readAll">;
  /** One that is open: its replay goes on with it. */
  findChat(chatId: string): Chat | undefined;
  recordings(): Promise<Recordings>;
  /** A copy of the chat as it was after the entry of that number, shown in the panel. */
  fork(chatId: string, seq: number): Promise<void>;
  /** Keys and other secrets that are known. */
  secrets(): Promise<string[]>;
  reportFailure(error: unknown): void;
}

type Replayed = Parameters<Recordings["follow"]>[0];

/** Chats in editor tabs as they were at any moment. Nothing of such a page acts on its chat. */
export class ReplayTabs {
  readonly #dependencies: ReplayDependencies;
  readonly #tabs = new Map<string, vscode.WebviewPanel>();

  constructor(dependencies: ReplayDependencies) {
    this.#dependencies = dependencies;
  }

  async open(chatId: string): Promise<void> {
    const known = this.#tabs.get(chatId);
    if (known !== undefined) {
      known.reveal();
      return;
    }
    const column = { viewColumn: vscode.ViewColumn.Active, preserveFocus: false };
    await this.show(vscode.window.createWebviewPanel(replayTabType, "", column, { enableFindWidget: true }), chatId);
  }

  /** Also a tab that the window had before it was reloaded. */
  async show(tab: vscode.WebviewPanel, chatId: string): Promise<void> {
    const { extensionUri, recordings, reportFailure } = this.#dependencies;
    this.#tabs.set(chatId, tab);
    const replayed = this.#replayed(chatId, tab);
    let isClosed = false;
    let closing: vscode.Disposable | undefined;
    // It can be closed while what follows is loaded.
    tab.onDidDispose(() => {
      isClosed = true;
      closing?.dispose();
      if (this.#tabs.get(chatId) === tab) this.#tabs.delete(chatId);
    });
    const [following, title] = await Promise.all([recordings(), this.#titleOf(chatId)]).catch((error: unknown) => {
      // An empty tab would be shown again in place of a new one.
      if (!isClosed) tab.dispose();
      throw error;
    });
    if (isClosed) return;
    closing = vscode.Disposable.from(
      { dispose: () => following.leave(replayed) },
      tab.webview.onDidReceiveMessage((raw: unknown) => {
        this.#answer(replayed, following, raw).catch(reportFailure);
      }),
      // A page that is not seen is gone, and asks again when it is.
      tab.onDidChangeViewState(() => {
        if (!tab.visible) following.leave(replayed);
      }),
    );
    tab.iconPath = vscode.Uri.joinPath(extensionUri, "media", "agent.svg");
    tab.title = vscode.l10n.t("Replay: {0}", title);
    const folder = this.#folder;
    const resource = (name: string) => tab.webview.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString();
    tab.webview.options = { enableScripts: true, localResourceRoots: [folder] };
    tab.webview.html = panelHtml({
      cspSource: tab.webview.cspSource,
      nonce: randomBytes(16).toString("base64url"),
      script: resource("replay.js"),
      styles: [resource("codicon.css"), resource("replay.css")],
      language: vscode.env.language,
      place: "tab",
      ...(vscode.l10n.bundle !== undefined && { words: vscode.l10n.bundle }),
    });
  }

  get #folder(): vscode.Uri {
    return vscode.Uri.joinPath(this.#dependencies.extensionUri, "dist", "webview");
  }

  #replayed(chatId: string, tab: vscode.WebviewPanel): Replayed {
    const stored = { id: chatId, log: { entriesAfter: () => [], onAppend: () => ({ dispose() {} }) } };
    return {
      chat: this.#dependencies.findChat(chatId) ?? stored,
      send: (message: HostMessage) => void tab.webview.postMessage(JSON.stringify(message)),
    };
  }

  async #titleOf(chatId: string): Promise<string> {
    const { findChat, sessions } = this.#dependencies;
    return findChat(chatId)?.title ?? (await sessions.list()).find(({ id }) => id === chatId)?.title ?? "";
  }

  async #answer(replayed: Replayed, recordings: Recordings, raw: unknown): Promise<void> {
    const request = replayRequestSchema.safeParse(raw).data;
    switch (request?.type) {
      case "ready":
        return recordings.follow(replayed, "all");
      case "fork":
        return this.#dependencies.fork(replayed.chat.id, request.seq);
      case "export":
        return this.#exportPage(replayed.chat, request.theme);
      case "copy":
        return vscode.env.clipboard.writeText(request.text);
      default:
    }
  }

  async #exportPage(chat: Replayed["chat"], theme: PageTheme): Promise<void> {
    const mask = createMask(await this.#dependencies.secrets(), process.env, homedir());
    const title = mask(await this.#titleOf(chat.id));
    const start = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
    const file = await vscode.window.showSaveDialog({
      defaultUri: vscode.Uri.joinPath(start, `${fileNameOf(title)}.html`),
      filters: { HTML: ["html"] },
      title: vscode.l10n.t("Export as a Page"),
    });
    if (file === undefined) return;
    const read = async (name: string) => vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.#folder, name));
    const text = async (name: string) => new TextDecoder().decode(await read(name));
    const fonts = { "codicon.ttf": { type: "font/ttf", data: await read("codicon.ttf") } };
    const html = replayHtml({
      nonce: randomBytes(16).toString("base64url"),
      script: await text("replay.js"),
      styles: [withFiles(await text("codicon.css"), fonts), withFiles(await text("replay.css"), fonts)],
      theme,
      data: await pageData(await this.#stored(chat), mask),
      title: vscode.l10n.t("Replay: {0}", title),
      words: vscode.l10n.bundle ?? {},
      language: vscode.env.language,
    });
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(html));
    const show = vscode.l10n.t("Show File");
    const message = vscode.l10n.t(
      "The replay is in one file that any browser opens. Secrets that were found are masked.",
    );
    if ((await vscode.window.showInformationMessage(message, show)) === show) await showFileInFolder(file.fsPath);
  }

  /** What is in the session's file: of what goes on, texts come in pieces, in which no secret would be found. */
  async #stored({ id, log }: Replayed["chat"]): Promise<TimedEntry[]> {
    const entries: TimedEntry[] = [];
    const add = async (piece: readonly TimedEntry[]) => {
      for (const timed of piece) {
        const entry = stripEntry(timed.entry, () => true);
        if (entry !== undefined) entries.push({ ...timed, entry });
      }
    };
    try {
      await this.#dependencies.sessions.readAll(id, add);
    } catch (error) {
      if (!(error instanceof SessionGone)) throw error;
      const isPiece = (entry: TimedEntry["entry"]) => "agent" in entry && /_update$/.test(entry.agent.type);
      await add((log.entriesAfter(0) ?? []).filter((entry) => !isPiece(entry)).map((entry) => ({ entry })));
    }
    return entries;
  }
}
