import type { AgentRow } from "./treeRows.ts";

/** What a key does in the tree. */
export type TreeStep =
  | { type: "focus" | "expand" | "collapse" | "select"; id: string }
  | { type: "expandAll"; ids: string[] };

/** The tree pattern of the ARIA Authoring Practices, for one row with focus. */
export function treeStep(rows: readonly AgentRow[], focusedId: string, key: string): TreeStep | undefined {
  const index = rows.findIndex((row) => row.id === focusedId);
  const row = rows[index];
  if (row === undefined) return undefined;
  switch (key) {
    case "ArrowDown":
      return focus(rows[index + 1]);
    case "ArrowUp":
      return focus(rows[index - 1]);
    case "Home":
      return focus(rows[0]);
    case "End":
      return focus(rows.at(-1));
    case "ArrowRight":
      if (row.isExpanded === false) return { type: "expand", id: row.id };
      return row.isExpanded === true ? focus(rows[index + 1]) : undefined;
    case "ArrowLeft":
      if (row.isExpanded === true) return { type: "collapse", id: row.id };
      return focus(rows.find((candidate) => candidate.id === row.parentId));
    case "Enter":
    case " ":
      return { type: "select", id: row.id };
    case "*":
      return {
        type: "expandAll",
        ids: rows.filter((other) => other.parentId === row.parentId).map((other) => other.id),
      };
    default:
      return key.length === 1 ? focus(startingWith(rows, index, key)) : undefined;
  }
}

function focus(row: AgentRow | undefined): TreeStep | undefined {
  return row === undefined ? undefined : { type: "focus", id: row.id };
}

/** The next row whose name starts with the letter, round the end. */
function startingWith(rows: readonly AgentRow[], index: number, letter: string): AgentRow | undefined {
  const order = [...rows.slice(index + 1), ...rows.slice(0, index)];
  return order.find((row) => row.name.toLowerCase().startsWith(letter.toLowerCase()));
}
