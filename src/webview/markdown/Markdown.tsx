import { useRef } from "preact/hooks";
import type { Intent } from "../../protocol/messages.ts";
import { chunksOf } from "../state/chunks.ts";
import { useKept } from "../ui/useKept.ts";
import { BlockView } from "./BlockView.tsx";
import { emptyMarkdown, type ParsedBlock, parseMarkdown } from "./parse.ts";

export interface MarkdownProps {
  text: string;
  /** More is to come: the end is marked. */
  isGrowing?: boolean;
  post(intent: Intent): void;
}

type Chunk = readonly ParsedBlock[];

const blocksPerChunk = 16;

/** Markdown as elements. While a text grows, only its last block is taken apart and drawn again. */
export function Markdown({ text, isGrowing, post }: MarkdownProps) {
  const parsed = useRef(emptyMarkdown);
  const chunks = useRef<readonly Chunk[]>([]);
  parsed.current = parseMarkdown(text, parsed.current);
  chunks.current = chunksOf(parsed.current.blocks, blocksPerChunk, chunks.current);
  const nodes = useKept(chunks.current, (chunk) => <ChunkView key={chunk[0]?.key} chunk={chunk} post={post} />);
  return <div class={isGrowing === true ? "markdown growing" : "markdown"}>{nodes}</div>;
}

function ChunkView({ chunk, post }: { chunk: Chunk } & Pick<MarkdownProps, "post">) {
  return (
    <>
      {useKept(chunk, ({ key, block }) => (
        <BlockView key={key} block={block} post={post} />
      ))}
    </>
  );
}
