import assert from "node:assert/strict";
import { scenes } from "../gallery/scenes.ts";
import { violations } from "../support/axe.ts";
import { themeNames } from "../support/panelPage.ts";
import { usePanel } from "../support/usePanel.ts";

describe("what steers agents, judged by axe-core", function () {
  this.timeout(120_000);
  const show = usePanel();

  for (const theme of themeNames) {
    for (const name of ["running", "details", "scopes", "granted", "command", "gauge", "many"]) {
      it(`finds nothing in the scene ${name}, ${theme}`, async () => {
        const { messages, clicks = [] } = scenes[name]?.() ?? { messages: [] };
        const { page, drawn } = await show(messages, { theme });
        for (const selector of clicks) await page.click(selector);
        await drawn();
        assert.deepEqual(await violations(page), []);
      });
    }
  }
});
