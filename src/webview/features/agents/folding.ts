import type { AgentTree } from "../../../agent/types.ts";

/** With so few agents in a run every row has room. */
const maxUnfolded = 8;

interface Folded {
  /** Those below the row of finished ones; the branches of each go with it. */
  ids: readonly string[];
  /** Those that are done as well and stay, since no other cost more. */
  costliest: ReadonlySet<string>;
}

/** The agents that are below the row of finished ones, if these begin with `ids`. */
export type FinishedOf = (ids: readonly string[], groupId: string) => Folded;

const nothing: Folded = { ids: [], costliest: new Set() };

export interface FoldingSource {
  tree: AgentTree;
  /** Agents that are shown elsewhere in the panel, whose rows stay in view. */
  shown: readonly (string | undefined)[];
  /** Ids of the rows that the user has unfolded. */
  expanded: ReadonlySet<string>;
  isHeld: boolean;
}

/**
 * In a run of many agents those that are done leave the room to those that work, wait or failed: all of them become one
 * row, whatever agent started them. The one that has cost most remains a row of its own.
 */
export function createFolding() {
  /** Those that were in such a row in the picture before. */
  let known: ReadonlySet<string> = new Set();

  return {
    /** For one picture of the tree. While it is held, no agent joins such a row. */
    of({ tree, shown, expanded, isHeld }: FoldingSource): FinishedOf {
      const before = known;
      const folded = new Set<string>();
      known = folded;
      const checked = new Map<string, boolean>();

      function isDone(id: string, steps = 0): boolean {
        const cached = checked.get(id);
        const node = tree.nodes[id];
        if (cached !== undefined || node === undefined || steps > 100) return cached ?? false;
        const is = node.status === "done" && node.children.every((child) => isDone(child, steps + 1));
        checked.set(id, is);
        return is;
      }

      const inView = new Set(shown.flatMap((id) => branchTo(tree, id)));
      return (ids, groupId) => {
        const agents = branchesOf(tree, ids);
        if (agents.length <= maxUnfolded) return nothing;
        const costs = agents.map((id) => tree.nodes[id]?.total.cost ?? 0);
        // Sums of the same amounts in another order differ by a trifle.
        const highest = Math.max(...costs) * (1 - 1e-9);
        const isCostliest = (id: string): boolean => {
          const cost = tree.nodes[id]?.total.cost ?? 0;
          return cost > 0 && cost >= highest;
        };
        const isFinished = (id: string): boolean => {
          if (!isDone(id)) return false;
          if (isHeld) return before.has(id);
          return !isCostliest(id) && (expanded.has(groupId) || !inView.has(id));
        };
        const finished = topmost(tree, ids, isFinished);
        if (finished.length < 2) return nothing;
        for (const id of finished) folded.add(id);
        return { ids: finished, costliest: new Set(agents.filter((id) => isCostliest(id) && isDone(id))) };
      };
    },
  };
}

/** The agent and those above it. */
function branchTo(tree: AgentTree, id: string | undefined): string[] {
  const branch: string[] = [];
  // The step count ends the walk even if a damaged log made a circle.
  for (let each = id; each !== undefined && branch.length < 100; each = tree.nodes[each]?.meta.parentId) {
    branch.push(each);
  }
  return branch;
}

/** The agents with all below them. */
export function branchesOf(tree: AgentTree, ids: readonly string[]): string[] {
  const all = new Set(ids);
  // What is added while it is walked is walked as well, each agent once.
  for (const id of all) for (const child of tree.nodes[id]?.children ?? []) all.add(child);
  return [...all];
}

/** Those that are wanted, or else the ones below them. */
function topmost(tree: AgentTree, ids: readonly string[], isWanted: (id: string) => boolean, steps = 0): string[] {
  if (steps > 100) return [];
  return ids.flatMap((id) =>
    isWanted(id) ? [id] : topmost(tree, tree.nodes[id]?.children ?? [], isWanted, steps + 1),
  );
}
