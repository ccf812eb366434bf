import type { Locator, Page } from "playwright-core";
import { runCommand } from "./palette.ts";

/** What the terminal in front shows. */
function terminalRows(page: Page): Locator {
  return page.locator(".terminal-wrapper.active .xterm-rows");
}

/** Opens a new terminal and waits until its shell takes input, which is lost before. */
export async function openTerminal(page: Page): Promise<Locator> {
  await runCommand(page, "Terminal: Create New Terminal");
  const rows = terminalRows(page);
  await rows.getByText(/[$#]/).first().waitFor();
  await focusTerminal(page);
  return rows;
}

/** Opening the first terminal may bring one of the editor's own beside it: the last one is in front. */
export async function focusTerminal(page: Page): Promise<void> {
  await page.locator(".terminal-wrapper.active textarea").last().focus();
}
