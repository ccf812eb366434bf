import { type BrowserContext, chromium } from "playwright-core";
import { browserExecutable } from "./places.ts";

export interface BrowserOptions {
  /** Belongs to this browser alone; what the workbench keeps there survives with it (and with the server's port). */
  readonly profileDir: string;
  readonly viewport?: { readonly width: number; readonly height: number };
}

const localHosts = new Set(["127.0.0.1", "localhost"]);

/** Whether the browser may ask for it: nothing leaves this machine. */
function mayLoad(url: URL): boolean {
  if (!url.protocol.startsWith("http")) return true;
  // Looks remote, but the webview's own service worker answers.
  return localHosts.has(url.hostname) || url.hostname.endsWith(".vscode-resource.vscode-cdn.net");
}

/** A headless Chromium. It is the caller's to close. */
export async function openBrowser(options: BrowserOptions): Promise<BrowserContext> {
  const context = await chromium.launchPersistentContext(options.profileDir, {
    executablePath: browserExecutable,
    viewport: options.viewport ?? { width: 1400, height: 900 },
    // Playwright's handlers end this process before it can stop the server.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-dev-shm-usage",
    ],
  });
  await context.route(
    (url) => !mayLoad(url),
    (route) => route.abort(),
  );
  return context;
}
