import type { Intent } from "../../protocol/messages.ts";
import { Icon } from "../ui/Icon.tsx";
import { CodeBlock } from "./CodeBlock.tsx";
import { Inlines } from "./InlineView.tsx";
import type { Block, ListItem } from "./structure.ts";
import { TableView } from "./TableView.tsx";

export interface BlockProps {
  block: Block;
  post(intent: Intent): void;
}

export function BlockView({ block, post }: BlockProps) {
  switch (block.type) {
    case "paragraph":
      return (
        <p>
          <Inlines inlines={block.children} post={post} />
        </p>
      );
    case "heading":
      return <Heading block={block} post={post} />;
    case "code":
      return <CodeBlock language={block.language} text={block.text} post={post} />;
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} post={post} />
        </blockquote>
      );
    case "list":
      return <ListView block={block} post={post} />;
    case "table":
      return <TableView block={block} post={post} />;
    case "rule":
      return <hr />;
    case "plain":
      return <p class="plain">{block.text}</p>;
    default:
      block satisfies never;
      return null;
  }
}

function Blocks({ blocks, post }: { blocks: readonly Block[] } & Pick<BlockProps, "post">) {
  return (
    <>
      {blocks.map((block, index) => (
        // A block has no identity but its place.
        <BlockView key={index} block={block} post={post} />
      ))}
    </>
  );
}

/** The panel's own headings stand above: a message's first level is the third of the page. */
function Heading({ block, post }: { block: Extract<Block, { type: "heading" }> } & Pick<BlockProps, "post">) {
  const inner = <Inlines inlines={block.children} post={post} />;
  if (block.depth <= 1) return <h3>{inner}</h3>;
  if (block.depth === 2) return <h4>{inner}</h4>;
  return block.depth === 3 ? <h5>{inner}</h5> : <h6>{inner}</h6>;
}

function ListView({ block, post }: { block: Extract<Block, { type: "list" }> } & Pick<BlockProps, "post">) {
  const items = block.items.map((item, index) => <Item key={index} item={item} post={post} />);
  return block.isOrdered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
}

function Item({ item, post }: { item: ListItem } & Pick<BlockProps, "post">) {
  const [first, ...rest] = item.blocks;
  return (
    <li class={item.isChecked === undefined ? undefined : "task"}>
      {item.isChecked !== undefined && <TaskMark isChecked={item.isChecked} />}
      {first?.type === "paragraph" ? <Inlines inlines={first.children} post={post} /> : null}
      <Blocks blocks={first?.type === "paragraph" ? rest : item.blocks} post={post} />
    </li>
  );
}

function TaskMark({ isChecked }: { isChecked: boolean }) {
  return (
    <span role="img" aria-label={isChecked ? "done" : "to do"}>
      <Icon name={isChecked ? "pass-filled" : "circle-large-outline"} class="task-mark" />
    </span>
  );
}
