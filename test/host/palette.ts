import type { Page } from "playwright-core";
import { eventually } from "./eventually.ts";

const patienceMs = 30_000;

/**
 * Opens the quick input with a key, types, and accepts the row that has `rowText`. It tries again, for three reasons:
 * the key is lost while the workbench starts, a reloaded window draws itself before the commands of extensions exist,
 * and an editor that opens late takes the focus, which closes the quick input.
 */
async function acceptQuickInput(page: Page, key: string, text: string, rowText: string): Promise<void> {
  const input = page.locator(".quick-input-widget input");
  const row = page.locator(".quick-input-list .monaco-list-row", { hasText: rowText }).first();
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    try {
      await page.keyboard.press(key);
      await input.waitFor({ timeout: 1500 });
      await input.fill(text, { timeout: 1500 });
      await row.waitFor({ timeout: 2500 });
      await row.click({ timeout: 1500 });
      return;
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await page.keyboard.press("Escape");
    }
  }
}

/** Runs a command by its title in the command palette. */
export const runCommand = (page: Page, title: string) => acceptQuickInput(page, "F1", `>${title}`, title);

/** Runs a command that asks for a choice, and makes it. */
export async function runCommandAndChoose(page: Page, title: string, choice: string): Promise<void> {
  await runCommand(page, title);
  const row = page.locator(".quick-input-list .monaco-list-row", { hasText: choice }).first();
  await eventually(async () => {
    // Typed again when the palette, which closes at its leisure, took the first try.
    await page.locator(".quick-input-widget input").fill(choice, { timeout: 1500 });
    await row.click({ timeout: 1500 });
  });
}

/** Opens a file of the workspace by its name. */
export const quickOpen = (page: Page, file: string) => acceptQuickInput(page, "Control+P", file, file);
