import type { Page } from "playwright-core";

const patienceMs = 30_000;

/**
 * Tries steps in the quick input until they succeed, for three reasons: the key is lost while the workbench starts, a
 * reloaded window draws itself before the commands of extensions exist, and an editor that opens late takes the focus,
 * which closes the quick input.
 */
async function untilDone(page: Page, steps: () => Promise<void>): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    try {
      await steps();
      return;
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await page.keyboard.press("Escape");
    }
  }
}

/** Types into the open quick input and takes the first row that has `rowText`. */
async function choose(page: Page, text: string, rowText: string): Promise<void> {
  const input = page.locator(".quick-input-widget input");
  const row = page.locator(".quick-input-list .monaco-list-row", { hasText: rowText }).first();
  await input.waitFor({ timeout: 1500 });
  await input.fill(text, { timeout: 1500 });
  await row.waitFor({ timeout: 2500 });
  await row.click({ timeout: 1500 });
}

async function openAndChoose(page: Page, key: string, text: string, rowText: string): Promise<void> {
  await page.keyboard.press(key);
  await choose(page, text, rowText);
}

/** Runs a command by its title in the command palette. */
export const runCommand = (page: Page, title: string) =>
  untilDone(page, () => openAndChoose(page, "F1", `>${title}`, title));

/** Runs a command that asks for a choice, and makes it. */
export const runCommandAndChoose = (page: Page, title: string, choice: string) =>
  untilDone(page, async () => {
    await openAndChoose(page, "F1", `>${title}`, title);
    // The palette closes at its leisure: what is typed too early would go into it.
    await page
      .locator(".quick-input-list .monaco-list-row", { hasText: title })
      .first()
      .waitFor({ state: "detached", timeout: 2500 });
    await choose(page, choice, choice);
  });

/** Opens a file of the workspace by its name, at a line if one is given. */
export const quickOpen = (page: Page, file: string, line?: number) =>
  untilDone(page, () => openAndChoose(page, "Control+P", line === undefined ? file : `${file}:${line}`, file));
