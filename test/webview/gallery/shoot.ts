/** Pictures of every scene and sheets of them: `npm run gallery -- [DIR] [--scene NAME]… [--theme NAME]… [--width PX]… [--height PX] [--language de]` */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { type PanelPage, themeNames } from "../support/panelPage.ts";
import { openScene } from "../support/scene.ts";
import { scenes } from "./scenes.ts";
import { makeSheets, type Shot } from "./sheet.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scene: { type: "string", multiple: true },
    theme: { type: "string", multiple: true },
    width: { type: "string", multiple: true },
    height: { type: "string" },
    language: { type: "string" },
  },
});
const folder = positionals[0] ?? "out/gallery";
const height = Number(values.height ?? 720);
const themes = themeNames.filter((name) => values.theme?.includes(name) ?? true);
/** The last is 320 px at 200 % zoom. */
const widths = (values.width ?? ["280", "320", "600", "160"]).map(Number);

/** One page for all themes and widths: the panel has to follow both while it is open. */
async function shoot(browser: Browser, scene: string): Promise<void> {
  for (const width of widths) {
    const panel = await openScene(browser, scene, { width, height, language: values.language ?? "en" });
    await coloured(panel);
    for (const theme of themes) {
      await panel.setTheme(theme);
      await panel.drawn();
      await panel.page.screenshot({ path: fileOf(scene, theme, width), animations: "disabled" });
    }
    for (const problem of panel.problems) console.error(`${scene}: ${problem}`);
    await panel.close();
  }
}

/** Code gets its colours in idle moments; a block of an unknown language never does. */
async function coloured({ page }: PanelPage): Promise<void> {
  const isColoured = () =>
    [...document.querySelectorAll(".code-block")].every((block) => block.querySelector("[class^=token-]") !== null);
  await page.waitForFunction(isColoured, undefined, { timeout: 3_000 }).catch(() => undefined);
}

function fileOf(scene: string, theme: string, width: number): string {
  return path.join(folder, `${scene}-${theme}-${width}.png`);
}

await mkdir(folder, { recursive: true });
const browser = await launchBrowser();
try {
  const chosen = values.scene ?? Object.keys(scenes);
  for (const scene of chosen) await shoot(browser, scene);
  for (const theme of themes) {
    for (const width of widths) {
      const shots = chosen.map((scene): Shot => ({ scene, file: fileOf(scene, theme, width) }));
      await makeSheets(browser, shots, width, path.join(folder, `sheet-${theme}-${width}`));
    }
  }
} finally {
  await browser.close();
}
