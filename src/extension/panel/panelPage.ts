import { randomBytes } from "node:crypto";
import { env, l10n, Uri, type Webview } from "vscode";
import type { Panel, PanelPage } from "./panel.ts";
import { type PanelResources, panelHtml } from "./panelHtml.ts";

export interface PagePlace {
  webview: Webview;
  extensionUri: Uri;
  place: PanelResources["place"];
}

/** Loads the panel's page into a webview and connects the two. */
export function openPage(panel: Panel, { webview, extensionUri, place }: PagePlace): PanelPage {
  const folder = Uri.joinPath(extensionUri, "dist", "webview");
  const resource = (name: string) => webview.asWebviewUri(Uri.joinPath(folder, name)).toString();
  webview.options = { enableScripts: true, localResourceRoots: [folder] };
  const page = panel.connect(webview);
  const listening = webview.onDidReceiveMessage((raw: unknown) => page.receive(raw));
  webview.html = panelHtml({
    cspSource: webview.cspSource,
    nonce: randomBytes(16).toString("base64url"),
    script: resource("panel.js"),
    styles: [resource("codicon.css"), resource("panel.css")],
    language: env.language,
    place,
    ...(l10n.bundle !== undefined && { words: l10n.bundle }),
  });
  return {
    ...page,
    dispose() {
      listening.dispose();
      page.dispose();
    },
  };
}
