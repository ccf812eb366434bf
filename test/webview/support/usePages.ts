import type { Browser } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import type { PanelPage } from "./panelPage.ts";

const browserLimitMs = 60_000;

/** One browser for the suite it is called in; what is opened in it is closed after each test. */
export function usePages(): (open: (browser: Browser) => Promise<PanelPage>) => Promise<PanelPage> {
  let browser: Browser | undefined;
  let pages: PanelPage[] = [];

  before(async function () {
    this.timeout(browserLimitMs);
    browser = await launchBrowser();
  });
  beforeEach(function () {
    this.timeout(browserLimitMs);
  });
  afterEach(async () => {
    await Promise.all(pages.map((page) => page.close()));
    pages = [];
  });
  after(() => browser?.close());

  return async (open) => {
    if (browser === undefined) throw new Error("Panels are opened in tests only.");
    const page = await open(browser);
    pages.push(page);
    return page;
  };
}
