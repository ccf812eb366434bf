import type { ArborPanel } from "./panel.ts";
import { readRows } from "./readPanel.ts";

export type RunEnd = { ok: true } | { ok: false; reason: string };

/** How a user answers the edits that agents propose. */
export type Answer = "all" | "none";

const runLimitMs = 600_000;
/** A machine that is busy with other work takes long to write and to draw. */
const cardLimitMs = 60_000;
const restStatuses = ["done", "error", "aborted", "limit"];
const atRest = restStatuses.map((status) => `[data-status="${status}"]`).join();

/** Types into the composer and sends. */
export async function ask(panel: ArborPanel, text: string): Promise<void> {
  await panel.composer.fill(text);
  await panel.send.click();
}

/** Asks in an empty chat, answers every approval on the way, telling of each, and waits for the end of the run. */
export async function askAndSeeThrough(
  panel: ArborPanel,
  text: string,
  answer: Answer,
  answered?: () => void,
): Promise<RunEnd> {
  const known = await panel.problems.count();
  await ask(panel, text);
  await panel.rows.first().or(panel.problems.nth(known)).first().waitFor();
  // A question that nothing could answer starts no agent.
  if ((await panel.rows.count()) === 0) return { ok: false, reason: await panel.problems.nth(known).innerText() };
  return seeThrough(panel, answer, answered);
}

/** Answers every approval of a run that has started, and waits for its end. */
export async function seeThrough(panel: ArborPanel, answer: Answer, answered?: () => void): Promise<RunEnd> {
  const settledRoot = panel.tree.locator(`[role="treeitem"][aria-level="1"]:is(${atRest})`);
  const giveUpAt = performance.now() + runLimitMs;
  while (performance.now() < giveUpAt) {
    await panel.approvals.or(settledRoot).first().waitFor({ timeout: runLimitMs });
    const end = (await settledRoot.count()) > 0 ? await endOfRun(panel) : undefined;
    if (end !== undefined) return end;
    if (await answerCard(panel, answer)) answered?.();
  }
  return { ok: false, reason: `it was not over after ${runLimitMs / 60_000} minutes` };
}

/** Answers the card that is shown, if it is still there, and waits until it is gone. Returns whether it was answered. */
export async function answerCard(panel: ArborPanel, answer: Answer): Promise<boolean> {
  const [card] = await panel.approvals.elementHandles();
  const name = answer === "all" ? "/^(Accept|Run|Fetch|Allow)$/" : '"Reject"';
  const button = await card?.$(`role=button[name=${name}]`);
  const isAnswered = (await button?.click({ timeout: cardLimitMs }).then(() => true, ignoreVanished)) ?? false;
  await card?.waitForElementState("hidden", { timeout: cardLimitMs });
  return isAnswered;
}

/** A card may close on its own, after its last hunk was answered for example, while it is being reached for. */
function ignoreVanished(error: unknown): false {
  const isGone = error instanceof Error && /not attached|not visible|Timeout/.test(error.message);
  if (!isGone) throw error;
  return false;
}

/** Undefined where it began just now: what was at rest was the run before. */
async function endOfRun(panel: ArborPanel): Promise<RunEnd | undefined> {
  const [root] = await readRows(panel);
  if (root !== undefined && !restStatuses.includes(root.status)) return undefined;
  return root?.status === "done" ? { ok: true } : { ok: false, reason: root?.label ?? "its agent is gone" };
}
