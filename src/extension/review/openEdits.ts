import type { GrantScope } from "../../protocol/grants.ts";
import type { ChatGrants } from "../permissions/chatGrants.ts";
import type { EditWish } from "../permissions/grants.ts";

interface OpenEdit {
  approvalId: string;
  wish: EditWish;
  /** Of its chat. */
  grants: ChatGrants;
  /** Ids and names from the root agent down to the one that asks. */
  lineage: readonly string[];
  agentPath: readonly string[];
}

/** The edits that wait for an answer, with what an answer to each may reach. */
export class OpenEdits {
  readonly #open = new Map<string, OpenEdit>();

  add(edit: OpenEdit): void {
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
    const { grants, wish, agentPath } = answered;
    if (!grants.add(wish, scope, agentPath)) return [];
    const covered = [...this.#open.values()].filter(
      (edit) => edit !== answered && edit.grants === grants && grants.covers(edit.wish, edit.lineage),
    );
    return [approvalId, ...covered.map((edit) => edit.approvalId)];
  }
}
