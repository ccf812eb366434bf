import type { GrantScope } from "../../protocol/grants.ts";
import type { ChatGrants } from "../approvals/chatGrants.ts";
import type { EditWish } from "../approvals/grants.ts";

interface OpenEdit {
  approvalId: string;
  /** Of all who wait for the answer. */
  asks: readonly Ask[];
  /** Of its chat. */
  grants: ChatGrants;
}

interface Ask {
  wish: EditWish;
  /** Ids and names from the root agent down to the one that asks. */
  lineage: readonly string[];
  agentPath: readonly string[];
}

/** The edits that wait for an answer, with what an answer to each may reach. */
export class OpenEdits {
  readonly #open = new Map<string, OpenEdit>();

  /** Takes the place of what was known of it. */
  put(edit: OpenEdit): void {
    this.#open.set(edit.approvalId, edit);
  }

  remove(approvalId: string): void {
    this.#open.delete(approvalId);
  }

  /**
   * Allows what the scope of an answer reaches. Gives the ids of all edits of the chat that need no other answer now,
   * the answered one first; none when that one is not open any more or the scope was not on offer.
   */
  grant(approvalId: string, scope: GrantScope): string[] {
    const answered = this.#open.get(approvalId);
    if (answered === undefined) return [];
    const { grants, asks } = answered;
    if (!grants.add(asks, scope)) return [];
    const covered = [...this.#open.values()].filter(
      (edit) =>
        edit !== answered &&
        edit.grants === grants &&
        edit.asks.every(({ wish, lineage }) => grants.covers(wish, lineage)),
    );
    return [approvalId, ...covered.map((edit) => edit.approvalId)];
  }
}
