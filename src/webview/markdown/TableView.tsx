import type { Intent } from "../../protocol/messages.ts";
import { ScrollBox } from "../ui/ScrollBox.tsx";
import { drawInlines } from "./drawInlines.tsx";
import type { Alignment, Block, Inline } from "./structure.ts";

export interface TableProps {
  block: Extract<Block, { type: "table" }>;
  post(intent: Intent): void;
}

/** A table scrolls in a box of its own, so that the panel never does sideways. */
export function TableView({ block, post }: TableProps) {
  return (
    <ScrollBox class="table-scroll">
      <table>
        <thead>
          <tr>
            {block.header.map((cell, column) => (
              <th key={column} class={cellClass(cell, block.alignments[column])}>
                {drawInlines(cell, post)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} class={cellClass(cell, block.alignments[column])}>
                  {drawInlines(cell, post)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** Letters from which on the words of a cell take more than a line. */
const wordy = 24;

function cellClass(cell: readonly Inline[], alignment: Alignment): string | undefined {
  const classes = [alignment === undefined ? "" : `align-${alignment}`, lengthOf(cell) > wordy ? "wordy" : ""];
  return classes.join(" ").trim() || undefined;
}

function lengthOf(inlines: readonly Inline[]): number {
  return inlines.reduce((sum, inline) => {
    if ("text" in inline) return sum + inline.text.length;
    return "children" in inline ? sum + lengthOf(inline.children) : sum;
  }, 0);
}
