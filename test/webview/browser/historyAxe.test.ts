import assert from "node:assert/strict";
import { historyScenes } from "../gallery/historyScenes.ts";
import { colourViolations, violations } from "../support/axe.ts";
import { themeNames } from "../support/panelPage.ts";
import { usePanel } from "../support/usePanel.ts";

describe("the history and what it leads to, judged by axe-core", function () {
  this.timeout(120_000);
  const show = usePanel();

  for (const theme of themeNames) {
    for (const [name, scene] of Object.entries(historyScenes)) {
      it(`finds nothing in the scene ${name}, ${theme}`, async () => {
        const { messages, keys = [] } = scene();
        const { page, drawn } = await show(messages, { theme });
        for (const key of keys) await page.keyboard.press(key);
        await drawn();
        const judge = theme === themeNames[0] ? violations : colourViolations;
        assert.deepEqual(await judge(page), []);
      });
    }
  }
});
