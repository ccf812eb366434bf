import type { Browser } from "playwright-core";
import { type Scene, scenes } from "../gallery/scenes.ts";
import { openPanel, type PanelOptions, type PanelPage } from "./panelPage.ts";
import { startTime } from "./recording.ts";

/** The gallery's clock is a minute after the start. */
const standsAt = startTime + 62_000;

/** A panel in the state of a scene: what the host posted, and what the user did then. */
export async function openScene(browser: Browser, name: string, options?: PanelOptions): Promise<PanelPage> {
  const make = scenes[name];
  if (make === undefined) throw new Error(`There is no scene "${name}", only ${Object.keys(scenes).join(", ")}.`);
  const panel = await openPanel(browser, options);
  await playScene(panel, make());
  return panel;
}

async function playScene(panel: PanelPage, scene: Scene): Promise<void> {
  const { messages, clicks = [], keys = [], types, answers = [], clicksAfter = [] } = scene;
  const { page } = panel;
  // Code is coloured in idle moments, which a fixed clock would never have.
  await page.evaluate(() => Object.assign(globalThis, { ownIdle: requestIdleCallback }));
  await page.clock.setFixedTime(standsAt);
  await page.evaluate(() => Object.assign(globalThis, { requestIdleCallback: globalThis.ownIdle }));
  for (const message of messages) await panel.post(message);
  await panel.drawn();
  await clickAll(panel, clicks);
  for (const key of keys) {
    await page.keyboard.press(key);
    await panel.drawn();
  }
  if (types !== undefined) await page.locator(".composer-box textarea").fill(types);
  await panel.drawn();
  for (const message of answers) await panel.post(message);
  await panel.drawn();
  await clickAll(panel, clicksAfter);
}

async function clickAll(panel: PanelPage, selectors: readonly string[]): Promise<void> {
  for (const selector of selectors) {
    // Parts that are loaded when they are first shown come later.
    await panel.page.locator(selector).first().waitFor();
    const elements = await panel.page.locator(selector).all();
    for (const element of elements) await element.click();
    await panel.drawn();
  }
}

declare global {
  /** In the page: the browser's own. */
  var ownIdle: typeof requestIdleCallback;
}
