import type { Page } from "playwright-core";

/** A step that succeeds at all takes so long on a machine with nothing else to do. */
const stepMs = 1_500;
const maxStepMs = 15_000;
const maxTries = 10;
const maxIdleWaitMs = 5_000;

/**
 * Tries steps in the quick input until they succeed, for three reasons: the key is lost while the workbench starts, a
 * reloaded window draws itself before the commands of extensions exist, and an editor that opens late takes the focus,
 * which closes the quick input. Each try begins when the window has drawn all that came before, and has twice the time of
 * the one before: on a machine that is busy the palette takes longer to open than any one limit.
 */
async function untilDone(page: Page, steps: (timeout: number) => Promise<void>): Promise<void> {
  for (let tried = 0; ; tried++) {
    try {
      await idle(page);
      await steps(Math.min(stepMs * 2 ** tried, maxStepMs));
      return;
    } catch (error) {
      if (tried >= maxTries) throw error;
      await page.keyboard.press("Escape");
    }
  }
}

/**
 * The window has run what was due, and has drawn it. Chromium calls no one back for being idle as long as it draws no
 * frame, so one is asked for first, and a limit ends the wait in a window that never rests.
 */
const idle = (page: Page): Promise<void> =>
  page.evaluate<void>(`new Promise((resolve) =>
    requestAnimationFrame(() =>
      requestIdleCallback(() => requestAnimationFrame(() => resolve()), { timeout: ${maxIdleWaitMs} }),
    ),
  )`);

/** Types into the open quick input and takes the first row that has `rowText`. */
async function choose(page: Page, text: string, rowText: string, timeout: number): Promise<void> {
  const input = page.locator(".quick-input-widget input");
  const row = page.locator(".quick-input-list .monaco-list-row", { hasText: rowText }).first();
  await input.waitFor({ timeout });
  await input.fill(text, { timeout });
  await row.waitFor({ timeout: 2 * timeout });
  await row.click({ timeout });
}

interface Choice {
  key: string;
  text: string;
  rowText: string;
}

async function openAndChoose(page: Page, { key, text, rowText }: Choice, timeout: number): Promise<void> {
  await page.keyboard.press(key);
  await choose(page, text, rowText, timeout);
}

/** Runs a command by its title in the command palette. */
export const runCommand = (page: Page, title: string) =>
  untilDone(page, (timeout) => openAndChoose(page, { key: "F1", text: `>${title}`, rowText: title }, timeout));

/** Runs a command that asks for a choice, and makes it. */
export const runCommandAndChoose = (page: Page, title: string, choice: string) =>
  untilDone(page, async (timeout) => {
    await openAndChoose(page, { key: "F1", text: `>${title}`, rowText: title }, timeout);
    // The palette closes at its leisure: what is typed too early would go into it.
    await page
      .locator(".quick-input-list .monaco-list-row", { hasText: title })
      .first()
      .waitFor({ state: "detached", timeout: 2 * timeout });
    await choose(page, choice, choice, timeout);
  });

/** Opens a file of the workspace by its name, at a line if one is given. */
export const quickOpen = (page: Page, file: string, line?: number) =>
  untilDone(page, (timeout) => {
    const text = line === undefined ? file : `${file}:${line}`;
    return openAndChoose(page, { key: "Control+P", text, rowText: file }, timeout);
  });
