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

/** The chat's title is the panel's first level, so a message begins with the second; nested ones only look the part. */
function Heading({ block, post }: { block: Extract<Block, { type: "heading" }> } & Pick<BlockProps, "post">) {
  const attributes = { class: "heading", "data-depth": block.depth };
  const inner = <Inlines inlines={block.children} post={post} />;
  switch (block.level) {
    case undefined:
      return <p {...attributes}>{inner}</p>;
    case 1:
      return <h2 {...attributes}>{inner}</h2>;
    case 2:
      return <h3 {...attributes}>{inner}</h3>;
    case 3:
      return <h4 {...attributes}>{inner}</h4>;
    default:
      return <h5 {...attributes}>{inner}</h5>;
  }
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
