import { type BrowserContext, chromium } from "playwright-core";
import { browserExecutable } from "./places.ts";

export interface BrowserOptions {
  /** Belongs to this browser alone; what the workbench keeps there survives with it (and with the server's port). */
  readonly profileDir: string;
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** A headless Chromium. It is the caller's to close. */
export async function openBrowser(options: BrowserOptions): Promise<BrowserContext> {
  return chromium.launchPersistentContext(options.profileDir, {
    executablePath: browserExecutable,
    // What turns or breathes while agents work is drawn sixty times a second, without a graphics card.
    reducedMotion: "reduce",
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
      // Nothing leaves this machine. (Routes of Playwright would switch the browser's cache off.) What a webview loads
      // looks remote, but its own service worker answers before any name is looked up.
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ],
  });
}
