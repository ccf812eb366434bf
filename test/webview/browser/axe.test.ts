import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { scenes } from "../gallery/scenes.ts";
import { themeNames } from "../support/panelPage.ts";
import { usePanel } from "../support/usePanel.ts";

const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Every rule that axe-core runs by itself, as one line for each element that breaks one. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(axeFile, "utf8"));
  return page.evaluate(async () => {
    // What the file above put there.
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }> };
    };
    const found = await axe.run();
    return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
  });
}

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
