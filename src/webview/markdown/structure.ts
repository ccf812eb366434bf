import type { Intent } from "../../protocol/messages.ts";
import type { LinkTarget } from "../text/links.ts";

export type Post = (intent: Intent) => void;

/**
 * What a markdown text can show. Nothing here can carry HTML, an address that was not judged, or an image: whatever a
 * model writes, this is all that can come of it.
 */
export type Block =
  | { type: "paragraph"; children: Inline[] }
  /** `depth` is how it was written; `level` its place in the outline, where no level is left out. */
  | { type: "heading"; depth: number; level?: number; children: Inline[] }
  /** `path`: the file that it is said to be for. */
  | { type: "code"; language: string; path?: string; text: string }
  | { type: "quote"; blocks: Block[] }
  | { type: "list"; isOrdered: boolean; start: number; items: ListItem[] }
  | { type: "table"; alignments: Alignment[]; header: Inline[][]; rows: Inline[][][] }
  | { type: "rule" }
  /** Text that is shown as it is: HTML, or what is too large to be taken apart. */
  | { type: "plain"; text: string };

export type Inline =
  | { type: "text"; text: string }
  | { type: "code"; text: string; target?: LinkTarget }
  | { type: "strong" | "emphasis" | "strike"; children: Inline[] }
  | { type: "link"; target: LinkTarget; children: Inline[] }
  | { type: "break" };

export type Alignment = "left" | "center" | "right" | undefined;

export interface ListItem {
  /** Of a task list. */
  isChecked?: boolean;
  blocks: Block[];
}
