import type { Browser } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import type { PanelPage } from "./panelPage.ts";

const browserLimitMs = 60_000;

/** One for all files of a run: its start costs as much as several tests. */
let browser: Browser | undefined;

/** Also after one that has crashed. */
async function runningBrowser(): Promise<Browser> {
  if (!browser?.isConnected()) browser = await launchBrowser();
  return browser;
}

after(() => browser?.close());

/** Opens pages of their own in the run's browser; what is opened in the suite it is called in is closed after each test. */
export function usePages(): (open: (browser: Browser) => Promise<PanelPage>) => Promise<PanelPage> {
  let pages: PanelPage[] = [];

  before(async function () {
    this.timeout(browserLimitMs);
    await runningBrowser();
  });
  beforeEach(function () {
    this.timeout(browserLimitMs);
  });
  afterEach(async () => {
    await Promise.all(pages.map((page) => page.close()));
    pages = [];
  });

  return async (open) => {
    const page = await open(await runningBrowser());
    pages.push(page);
    return page;
  };
}
