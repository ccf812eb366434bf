import type { ReadonlySignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { VNode } from "preact";
import { Icon } from "../ui/Icon.tsx";
import { CodeBlock } from "./CodeBlock.tsx";
import { drawInlines } from "./drawInlines.tsx";
import type { Block, ListItem, Post } from "./structure.ts";
import { TableView } from "./TableView.tsx";

/** What blocks are drawn with; the same object as long as their text is on the page. */
export interface Drawn {
  post: Post;
  /** Of the block that more is written to. */
  growingKey: ReadonlySignal<number | undefined>;
}

/** Plain calls, no components: what is drawn again with every few letters has to be light. */
export function drawBlock(block: Block, key: number, drawn: Drawn, topKey = key): VNode {
  const { post } = drawn;
  switch (block.type) {
    case "paragraph":
      return <p key={key}>{drawInlines(block.children, post)}</p>;
    case "heading":
      return drawHeading(block, key, post);
    case "code":
      return <CodeBlock key={key} block={block} blockKey={topKey} {...drawn} />;
    case "quote":
      return <blockquote key={key}>{drawBlocks(block.blocks, drawn, topKey)}</blockquote>;
    case "list": {
      const items = block.items.map((item, index) => drawItem(item, index, drawn, topKey));
      return block.isOrdered ? (
        <ol key={key} start={block.start}>
          {items}
        </ol>
      ) : (
        <ul key={key}>{items}</ul>
      );
    }
    case "table":
      return <TableView key={key} block={block} post={post} />;
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

/** A block has no identity but its place. */
function drawBlocks(blocks: readonly Block[], drawn: Drawn, topKey: number): VNode[] {
  return blocks.map((block, index) => drawBlock(block, index, drawn, topKey));
}

/** The chat's title is the panel's first level, so a message begins with the second; nested ones only look the part. */
function drawHeading(block: Extract<Block, { type: "heading" }>, key: number, post: Post): VNode {
  const attributes = { class: "heading", "data-depth": block.depth };
  const inner = drawInlines(block.children, post);
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
      {first?.type === "paragraph" ? drawInlines(first.children, drawn.post) : null}
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
