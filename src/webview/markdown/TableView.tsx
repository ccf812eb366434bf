import type { Intent } from "../../protocol/messages.ts";
import { ScrollBox } from "../ui/ScrollBox.tsx";
import { drawInlines } from "./drawInlines.tsx";
import type { Alignment, Block } from "./structure.ts";

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
              <th key={column} class={alignmentClass(block.alignments[column])}>
                {drawInlines(cell, post)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} class={alignmentClass(block.alignments[column])}>
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

function alignmentClass(alignment: Alignment): string | undefined {
  return alignment === undefined ? undefined : `align-${alignment}`;
}
