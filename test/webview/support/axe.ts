import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Frame, Locator, Page } from "playwright-core";

const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

interface Axe {
  run(options: {
    resultTypes: string[];
    runOnly?: { type: "rule"; values: readonly string[] };
  }): Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }>;
}

/** Runs in the page: what the file above puts there, once it has. */
const isLoaded = () => "axe" in globalThis;

/** Those that look at colours: all that a theme can change, whose variables are nothing but colours and fonts. */
const colourRules = ["color-contrast", "link-in-text-block"];

/** Runs in the page, after the file above. */
async function run(rules: readonly string[] | undefined): Promise<string[]> {
  const { axe } = globalThis as unknown as { axe: Axe };
  // Of what passes it finds no selectors, which takes most of its time.
  const only = rules && { runOnly: { type: "rule" as const, values: rules } };
  const found = await axe.run({ resultTypes: ["violations"], ...only });
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** Every rule that axe-core runs on its own, as one line for each element that breaks one. */
export async function violations(page: Page): Promise<string[]> {
  return violationsInFrame(page.mainFrame());
}

/** The same of the rules about colours: enough where all others have been judged in another theme. */
export async function colourViolations(page: Page): Promise<string[]> {
  return violationsInFrame(page.mainFrame(), colourRules);
}

/** The same of the panel in an editor. */
export async function violationsIn(element: Locator): Promise<string[]> {
  const handle = await element.elementHandle();
  const frame = await handle?.ownerFrame();
  if (!frame) throw new Error("The element is in no page.");
  return violationsInFrame(frame);
}

async function violationsInFrame(frame: Frame, rules?: readonly string[]): Promise<string[]> {
  if (!(await frame.evaluate(isLoaded))) await frame.evaluate(await readFile(axeFile, "utf8"));
  return frame.evaluate(run, rules);
}
