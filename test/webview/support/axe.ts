import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const axeFile = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));

/** Every rule that axe-core runs by itself, as one line for each element that breaks one. */
export async function violations(page: Page): Promise<string[]> {
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
