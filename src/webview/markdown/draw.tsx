import type { ReadonlySignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { ComponentChildren, VNode } from "preact";
import type { Intent } from "../../protocol/messages.ts";
import type { MessageLink } from "../text/links.ts";
import { LinkButton } from "../ui/Buttons.tsx";
import { Icon } from "../ui/Icon.tsx";
import { ScrollBox } from "../ui/ScrollBox.tsx";
import { CodeBlock } from "./CodeBlock.tsx";
import type { Alignment, Block, Inline, ListItem, PostIntent } from "./structure.ts";

/** What blocks are drawn with; the same object as long as their text is on the page. */
export interface Drawn {
  post: PostIntent;
  /** Of the block whose end is missing: more is written to it, or the host cut it. */
  growingKey: ReadonlySignal<number | undefined>;
  /** What only serves who reads it is drawn. */
  isNear: ReadonlySignal<boolean>;
  /** By the part of a block: a part that stays the same while the block grows is not even compared. */
  nodes: WeakMap<object, VNode>;
}

function stableNode(part: object, { nodes }: Drawn, draw: () => VNode): VNode {
  const known = nodes.get(part);
  if (known !== undefined) return known;
  const node = draw();
  nodes.set(part, node);
  return node;
}

/** Plain calls, no components: what is drawn again with every few letters has to be light. */
export function drawBlock(block: Block, key: number, drawn: Drawn, topKey = key): VNode {
  switch (block.type) {
    case "paragraph":
      return <p key={key}>{drawInlines(block.children, drawn)}</p>;
    case "heading":
      return drawHeading(block, key, drawn);
    case "code":
      return (
        <CodeBlock
          key={key}
          block={block}
          blockKey={topKey}
          growingKey={drawn.growingKey}
          isNear={drawn.isNear}
          post={drawn.post}
        />
      );
    case "quote":
      return <blockquote key={key}>{drawBlocks(block.blocks, drawn, topKey)}</blockquote>;
    case "list": {
      const items = block.items.map((item, index) =>
        stableNode(item, drawn, () => drawItem(item, index, drawn, topKey)),
      );
      return block.isOrdered ? (
        <ol key={key} start={block.start}>
          {items}
        </ol>
      ) : (
        <ul key={key}>{items}</ul>
      );
    }
    case "table":
      return <TableView key={key} block={block} drawn={drawn} />;
    case "rule":
      return <hr key={key} />;
    case "plain":
      return (
        <p key={key} class="plain">
          {block.text}
        </p>
      );
    default:
      block satisfies never;
      return <hr key={key} />;
  }
}

/** A block has no identity but its position. */
function drawBlocks(blocks: readonly Block[], drawn: Drawn, topKey: number): VNode[] {
  return blocks.map((block, index) => stableNode(block, drawn, () => drawBlock(block, index, drawn, topKey)));
}

/** The chat's title is the panel's first level, so a message begins with the second; nested ones only look the part. */
function drawHeading(block: Extract<Block, { type: "heading" }>, key: number, drawn: Drawn): VNode {
  const attributes = { class: "heading", "data-depth": block.depth };
  const inner = drawInlines(block.children, drawn);
  switch (block.level) {
    case undefined:
      return (
        <p key={key} {...attributes}>
          {inner}
        </p>
      );
    case 1:
      return (
        <h2 key={key} {...attributes}>
          {inner}
        </h2>
      );
    case 2:
      return (
        <h3 key={key} {...attributes}>
          {inner}
        </h3>
      );
    case 3:
      return (
        <h4 key={key} {...attributes}>
          {inner}
        </h4>
      );
    default:
      return (
        <h5 key={key} {...attributes}>
          {inner}
        </h5>
      );
  }
}

function drawItem(item: ListItem, key: number, drawn: Drawn, topKey: number): VNode {
  const [first, ...rest] = item.blocks;
  return (
    <li key={key} class={item.isChecked === undefined ? undefined : "task"}>
      {item.isChecked !== undefined && <TaskMark isChecked={item.isChecked} />}
      {first?.type === "paragraph" ? drawInlines(first.children, drawn) : null}
      {drawBlocks(first?.type === "paragraph" ? rest : item.blocks, drawn, topKey)}
    </li>
  );
}

function TaskMark({ isChecked }: { isChecked: boolean }) {
  return (
    <span role="img" aria-label={isChecked ? t("done") : t("to do")}>
      <Icon name={isChecked ? "pass-filled" : "circle-large-outline"} class="task-mark" />
    </span>
  );
}

/** Plain calls, no components: what is drawn again with every few letters has to be light. */
function drawInlines(inlines: readonly Inline[], drawn: Drawn): ComponentChildren {
  return inlines.map((inline, index) =>
    inline.type === "text" ? inline.text : stableNode(inline, drawn, () => drawInline(inline, index, drawn)),
  );
}

function drawInline(inline: Exclude<Inline, { type: "text" }>, key: number, drawn: Drawn): VNode {
  switch (inline.type) {
    case "code":
      return inline.target === undefined ? (
        <code key={key}>{inline.text}</code>
      ) : (
        drawLink(inline.target, key, drawn, <code>{inline.text}</code>)
      );
    case "strong":
      return <strong key={key}>{drawInlines(inline.children, drawn)}</strong>;
    case "emphasis":
      return <em key={key}>{drawInlines(inline.children, drawn)}</em>;
    case "strike":
      return <del key={key}>{drawInlines(inline.children, drawn)}</del>;
    case "link":
      return drawLink(inline.target, key, drawn, drawInlines(inline.children, drawn));
    case "break":
      return <br key={key} />;
    default:
      inline satisfies never;
      return <br key={key} />;
  }
}

function drawLink(target: MessageLink, key: number, { post }: Drawn, children: ComponentChildren): VNode {
  return (
    <LinkButton key={key} title={addressOf(target)} onClick={() => post(opening(target))}>
      {children}
    </LinkButton>
  );
}

function opening(target: MessageLink): Intent {
  if (target.kind === "url") return { type: "openLink", href: target.href };
  const { path, line } = target;
  return line === undefined ? { type: "openFile", path } : { type: "openFile", path, line };
}

function addressOf(target: MessageLink): string {
  if (target.kind === "url") return target.href;
  return target.line === undefined ? target.path : `${target.path}:${target.line}`;
}

interface TableProps {
  block: Extract<Block, { type: "table" }>;
  drawn: Drawn;
}

/** A table scrolls in a box of its own, so that the panel never does sideways. */
function TableView({ block, drawn }: TableProps) {
  return (
    <ScrollBox class="table-scroll">
      <table>
        <thead>
          <tr>
            {block.header.map((cell, column) => (
              <th key={column} class={cellClass(cell, block.alignments[column])}>
                {drawInlines(cell, drawn)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, index) =>
            stableNode(row, drawn, () => (
              <tr key={index}>
                {row.map((cell, column) => (
                  <td key={column} class={cellClass(cell, block.alignments[column])}>
                    {drawInlines(cell, drawn)}
                  </td>
                ))}
              </tr>
            )),
          )}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** Letters from which on the text of a cell takes more than a line. */
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
