import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Locator, Page } from "playwright-core";

const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Runs in the page, after the file above. */
async function run(): Promise<string[]> {
  // What the file put there.
  const { axe } = globalThis as unknown as {
    axe: { run(): Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }> };
  };
  const found = await axe.run();
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** Every rule that axe-core runs by itself, as one line for each element that breaks one. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(axeFile, "utf8"));
  return page.evaluate(run);
}

/** The same of the panel in an editor. */
export async function violationsIn(element: Locator): Promise<string[]> {
  const handle = await element.elementHandle();
  const frame = await handle?.ownerFrame();
  if (!frame) throw new Error("The element is in no page.");
  await frame.evaluate(await readFile(axeFile, "utf8"));
  return frame.evaluate(run);
}
