import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Frame, Locator, Page } from "playwright-core";

const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

interface Axe {
  run(options: { resultTypes: string[] }): Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }>;
}

/** Runs in the page: what the file above puts there, once it has. */
const isLoaded = () => "axe" in globalThis;

/** Runs in the page, after the file above. */
async function run(): Promise<string[]> {
  const { axe } = globalThis as unknown as { axe: Axe };
  // Of what passes it finds no selectors, which takes most of its time.
  const found = await axe.run({ resultTypes: ["violations"] });
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** Every rule that axe-core runs by itself, as one line for each element that breaks one. */
export async function violations(page: Page): Promise<string[]> {
  return violationsInFrame(page.mainFrame());
}

/** The same of the panel in an editor. */
export async function violationsIn(element: Locator): Promise<string[]> {
  const handle = await element.elementHandle();
  const frame = await handle?.ownerFrame();
  if (!frame) throw new Error("The element is in no page.");
  return violationsInFrame(frame);
}

async function violationsInFrame(frame: Frame): Promise<string[]> {
  if (!(await frame.evaluate(isLoaded))) await frame.evaluate(await readFile(axeFile, "utf8"));
  return frame.evaluate(run);
}
