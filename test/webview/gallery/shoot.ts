/** Pictures of every scene: `npm run gallery -- [DIR] [--scene NAME]… [--theme NAME]… [--width PX]… [--height PX]` */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { openPanel, type ThemeName, themeNames } from "../support/panelPage.ts";
import { startTime } from "../support/recording.ts";
import { scenes } from "./scenes.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scene: { type: "string", multiple: true },
    theme: { type: "string", multiple: true },
    width: { type: "string", multiple: true },
    height: { type: "string" },
  },
});
const folder = positionals[0] ?? "out/gallery";

async function shoot(browser: Browser, scene: string, theme: ThemeName, width: number, file: string): Promise<void> {
  const make = scenes[scene];
  if (make === undefined) throw new Error(`There is no scene "${scene}", only ${Object.keys(scenes).join(", ")}.`);
  const { messages, clicks = [], keys = [], types, answers = [] } = make();
  const panel = await openPanel(browser, { theme, width, height: Number(values.height ?? 720) });
  await panel.page.clock.setFixedTime(startTime + 62_000);
  for (const message of messages) await panel.post(message);
  await panel.drawn();
  for (const selector of clicks) {
    for (const element of await panel.page.locator(selector).all()) await element.click();
  }
  for (const key of keys) await panel.page.keyboard.press(key);
  if (types !== undefined) await panel.page.getByRole("textbox", { name: "Ask Agent" }).fill(types);
  await panel.drawn();
  for (const message of answers) await panel.post(message);
  await panel.drawn();
  await panel.page.screenshot({ path: file });
  for (const problem of panel.problems) console.error(`${path.basename(file)}: ${problem}`);
  await panel.close();
}

await mkdir(folder, { recursive: true });
const browser = await launchBrowser();
try {
  for (const scene of values.scene ?? Object.keys(scenes)) {
    for (const theme of themeNames.filter((name) => values.theme?.includes(name) ?? true)) {
      for (const width of (values.width ?? ["280", "320", "600"]).map(Number)) {
        await shoot(browser, scene, theme, width, path.join(folder, `${scene}-${theme}-${width}.png`));
      }
    }
  }
} finally {
  await browser.close();
}
