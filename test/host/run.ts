import type { ArborPanel } from "./panel.ts";
import { readRows } from "./readPanel.ts";

export type RunEnd = { ok: true } | { ok: false; reason: string };

/** How a user answers the edits that agents propose. */
export type Answer = "all" | "none";

const runLimitMs = 600_000;
const atRest = ["done", "error", "aborted", "limit"].map((status) => `[data-status="${status}"]`).join();

/** Types into the composer and sends. */
export async function ask(panel: ArborPanel, text: string): Promise<void> {
  await panel.composer.fill(text);
  await panel.send.click();
}

/** Asks in an empty chat, answers every approval on the way and waits for the end of the run. */
export async function askAndSeeThrough(panel: ArborPanel, text: string, answer: Answer): Promise<RunEnd> {
  const known = await panel.problems.count();
  await ask(panel, text);
  await panel.rows.first().or(panel.problems.nth(known)).first().waitFor();
  // A question that nothing could answer starts no agent.
  if ((await panel.rows.count()) === 0) return { ok: false, reason: await panel.problems.nth(known).innerText() };
  return seeThrough(panel, answer);
}

/** Answers every approval of a run that has started, and waits for its end. */
export async function seeThrough(panel: ArborPanel, answer: Answer): Promise<RunEnd> {
  const settledRoot = panel.tree.locator(`[role="treeitem"][aria-level="1"]:is(${atRest})`);
  for (;;) {
    await panel.approvals.or(settledRoot).first().waitFor({ timeout: runLimitMs });
    if ((await settledRoot.count()) > 0) return endOfRun(panel);
    await answerCard(panel, answer);
  }
}

/** Answers the card that is shown, and waits until it is gone. */
export async function answerCard(panel: ArborPanel, answer: Answer): Promise<void> {
  const shown = await panel.approvals.first().elementHandle();
  const name = answer === "all" ? "Accept" : "Reject";
  await panel.approvals.first().getByRole("button", { name, exact: true }).click();
  await shown?.waitForElementState("hidden");
}

async function endOfRun(panel: ArborPanel): Promise<RunEnd> {
  const [root] = await readRows(panel);
  return root?.status === "done" ? { ok: true } : { ok: false, reason: root?.label ?? "its agent is gone" };
}
