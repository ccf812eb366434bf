import { useRef } from "preact/hooks";
import type { Intent } from "../../protocol/messages.ts";
import { BlockView } from "./BlockView.tsx";
import { emptyMarkdown, parseMarkdown } from "./parse.ts";

export interface MarkdownProps {
  text: string;
  /** More is to come: the end is marked. */
  isGrowing?: boolean;
  post(intent: Intent): void;
}

/** Markdown as elements. While a text grows, only its last block is taken apart and drawn again. */
export function Markdown({ text, isGrowing, post }: MarkdownProps) {
  const parsed = useRef(emptyMarkdown);
  parsed.current = parseMarkdown(text, parsed.current);
  return (
    <div class={isGrowing === true ? "markdown growing" : "markdown"}>
      {parsed.current.blocks.map(({ key, block }) => (
        <BlockView key={key} block={block} post={post} />
      ))}
    </div>
  );
}
