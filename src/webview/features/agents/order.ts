import type { AgentTree } from "../../../agent/types.ts";
import { agentStatus, type ShownStatus, type Waiting } from "../../model/agents.ts";

/** What matters is on top: what waits, what failed, what works, and then what is over. */
const ranks: Readonly<Record<ShownStatus, number>> = {
  waiting: 0,
  error: 1,
  running: 2,
  limit: 3,
  aborted: 3,
  done: 3,
};

export interface OrderSource {
  tree: AgentTree;
  waiting: Waiting;
  isHeld: boolean;
  /** The order that the user chose, in place of this one. */
  sorted?: ((siblings: readonly string[]) => readonly string[]) | undefined;
}

/** Orders siblings by what matters most in their branches, and otherwise as they were. */
export function createOrder() {
  /** By agent id: its row's number in the order before. */
  let known = new Map<string, number>();

  return {
    /** For one picture of the tree. While it is held, rows stay where they are and new ones come last. */
    of({ tree, waiting, isHeld, sorted }: OrderSource) {
      const before = known;
      known = new Map();
      const ranked = new Map<string, number>();

      function rankOf(id: string, steps = 0): number {
        const cached = ranked.get(id);
        const node = tree.nodes[id];
        if (cached !== undefined || node === undefined || steps > 100) return cached ?? ranks.done;
        const own = ranks[agentStatus(node, waiting)];
        const branch = Math.min(own, ...node.children.map((child) => rankOf(child, steps + 1)));
        // A branch that is over is of no more account for what failed in it, but for what still waits.
        const rank = node.status === "running" || branch === ranks.waiting ? branch : own;
        ranked.set(id, rank);
        return rank;
      }

      const place = (id: string, index: number) => (isHeld ? (before.get(id) ?? before.size + index) : rankOf(id));
      function placed(siblings: readonly string[]): readonly string[] {
        const each = siblings.map((id, index) => ({ id, index, at: place(id, index) }));
        return each.sort((a, b) => a.at - b.at || a.index - b.index).map(({ id }) => id);
      }
      return (siblings: readonly string[]): readonly string[] => {
        const ordered = sorted !== undefined && !isHeld ? sorted(siblings) : placed(siblings);
        for (const id of ordered) known.set(id, known.size);
        return ordered;
      };
    },
  };
}
