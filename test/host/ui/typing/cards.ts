import type { Locator } from "playwright-core";
import type { ArborPanel } from "../../panel.ts";
import { tokensIn } from "./documents.ts";

/** What the panel shows of the edits that wait. */
export interface Shown {
  /** The card, with the tokens in each of its hunks. */
  hunks: readonly { tokens: readonly string[]; isPending: boolean }[];
  isCard: boolean;
  /** How many cards there are. */
  cards: number;
  /** Edits that are written wait for Keep or Undo. */
  isAnyWritten: boolean;
  isRunning: boolean;
}

/** The part of an element that is read here: this project has no DOM types. */
interface PageElement {
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

function readBody(body: PageElement) {
  const card = body.querySelector('[role="group"][aria-label^="Approval: "]');
  const hunks = [...(card?.querySelectorAll(".hunk") ?? [])].map((hunk) => ({
    text: hunk.textContent ?? "",
    isPending: hunk.getAttribute("data-decision") === "pending",
  }));
  return {
    hunks,
    isCard: card !== null,
    pager: body.querySelector(".pager")?.textContent ?? "",
    isAnyWritten: body.querySelector('[aria-label="Pending edits"]') !== null,
  };
}

export async function readCards({ frame, stop }: ArborPanel): Promise<Shown> {
  const [isRunning, read] = await Promise.all([stop.isVisible(), frame.locator("body").evaluate(readBody)]);
  const { hunks, isCard, pager, isAnyWritten } = read;
  const cards = isCard ? Number(/of (\d+)/.exec(pager)?.[1] ?? 1) : 0;
  return {
    isAnyWritten,
    isRunning,
    isCard,
    cards,
    hunks: hunks.map(({ text, isPending }) => ({ tokens: tokensIn(text), isPending })),
  };
}

const soon = { timeout: 3_000 };

/** A card, a row or a lens can vanish while the pointer is on its way, because another answer was as quick. */
export async function tryClick(target: Locator): Promise<boolean> {
  try {
    await target.click(soon);
    return true;
  } catch (error) {
    if (error instanceof Error && /Timeout|not attached|not visible/.test(error.message)) return false;
    throw error;
  }
}

/** The buttons of the card that has the token, or those of its hunk that has it. */
export function clickCard(
  panel: ArborPanel,
  { yes, token, isHunk = false }: { yes: boolean; token: string; isHunk?: boolean },
): Promise<boolean> {
  const word = yes ? "Accept" : "Reject";
  const card = panel.approvals.filter({ hasText: token });
  if (!isHunk) return tryClick(card.getByRole("button", { name: word, exact: true }));
  const hunk = card.locator(".hunk", { hasText: token });
  return tryClick(hunk.getByRole("button", { name: new RegExp(`^${word} hunk`) }));
}

export async function tryNextCard(panel: ArborPanel): Promise<void> {
  const next = panel.button("Next approval");
  if (await next.isVisible()) await tryClick(next);
}
