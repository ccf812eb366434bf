import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { scenes } from "../gallery/scenes.ts";
import { violations } from "../support/axe.ts";
import { launchBrowser } from "../support/browser.ts";
import { type PanelPage, themeNames } from "../support/panelPage.ts";
import { openScene } from "../support/scene.ts";

/** Every rule that axe-core has switched on by itself, contrast of colours included. */
describe("every scene of the gallery, judged by axe-core", function () {
  this.timeout(120_000);
  let browser: Browser | undefined;
  let panel: PanelPage | undefined;

  before(async () => {
    browser = await launchBrowser();
  });
  afterEach(() => panel?.close());
  after(() => browser?.close());

  for (const name of Object.keys(scenes)) {
    it(`finds nothing in ${name}, in all four themes`, async () => {
      if (browser === undefined) throw new Error("The browser did not open.");
      panel = await openScene(browser, name);
      const found: string[] = [];
      for (const theme of themeNames) {
        await panel.setTheme(theme);
        await panel.drawn();
        found.push(...(await violations(panel.page)).map((violation) => `${theme}: ${violation}`));
      }
      assert.deepEqual([...found, ...panel.problems], []);
    });
  }
});
