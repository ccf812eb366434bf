import assert from "node:assert/strict";
import { scenes } from "../gallery/scenes.ts";
import { colourViolations, violations } from "../support/axe.ts";
import { themeNames } from "../support/panelPage.ts";
import { useScene } from "../support/useScene.ts";

/**
 * Every rule that axe-core has switched on by default, contrast of colours included. A theme changes colours and nothing
 * else, so that in the others those are judged alone.
 */
describe("every scene of the gallery, judged by axe-core", function () {
  this.timeout(120_000);
  const open = useScene();

  for (const name of Object.keys(scenes)) {
    it(`finds nothing in ${name}, in all four themes`, async () => {
      const panel = await open(name);
      const found: string[] = [];
      for (const theme of themeNames) {
        await panel.setTheme(theme);
        await panel.drawn();
        const judge = theme === themeNames[0] ? violations : colourViolations;
        found.push(...(await judge(panel.page)).map((violation) => `${theme}: ${violation}`));
      }
      assert.deepEqual([...found, ...panel.problems], []);
    });
  }
});
