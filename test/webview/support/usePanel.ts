import type { Browser } from "playwright-core";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import { scenes } from "../gallery/scenes.ts";
import { launchBrowser } from "./browser.ts";
import { openPanel, type PanelOptions, type PanelPage } from "./panelPage.ts";

const browserLimitMs = 60_000;

/** Opens panels in one browser for the suite it is called in, and closes them after each test. */
export function usePanel(): (messages?: string | readonly HostMessage[], options?: PanelOptions) => Promise<PanelPage> {
  let browser: Browser | undefined;
  let open: PanelPage[] = [];

  before(async function () {
    this.timeout(browserLimitMs);
    browser = await launchBrowser();
  });
  beforeEach(function () {
    this.timeout(browserLimitMs);
  });
  afterEach(async () => {
    await Promise.all(open.map((panel) => panel.close()));
    open = [];
  });
  after(async () => {
    await browser?.close();
  });

  return async (messages = [], options) => {
    if (browser === undefined) throw new Error("Panels are opened in tests only.");
    const panel = await openPanel(browser, options);
    open.push(panel);
    const posted = typeof messages === "string" ? (scenes[messages]?.().messages ?? []) : messages;
    for (const message of posted) await panel.post(message);
    await panel.drawn();
    return panel;
  };
}
