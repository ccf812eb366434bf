import { useSignal } from "@preact/signals";
import { useReducer, useRef } from "preact/hooks";
import { chunksOf } from "../state/chunks.ts";
import { useKept } from "../ui/useKept.ts";
import { type Drawn, drawBlock } from "./drawBlock.tsx";
import { growMarkdown } from "./grow.ts";
import { createPageText } from "./pageText.ts";
import { emptyMarkdown, type ParsedBlock, parseMarkdown } from "./parse.ts";
import type { Post } from "./structure.ts";
import { type GrowthPlace, useGrowth } from "./useGrowth.ts";

export interface MarkdownProps {
  text: string;
  /** More is to come, and from where: the end is marked. */
  growth?: GrowthPlace;
  post: Post;
}

type Chunk = readonly ParsedBlock[];

const blocksPerChunk = 16;
const bump = (count: number) => count + 1;

/** Markdown as elements. While a text grows, only its last block is taken apart and drawn again, or just goes on. */
export function Markdown({ text, growth, post }: MarkdownProps) {
  const root = useRef<HTMLDivElement>(null);
  const given = useRef("");
  const parsed = useRef(emptyMarkdown);
  const chunks = useRef<readonly Chunk[]>([]);
  const pageText = useRef(createPageText(root)).current;
  const growingKey = useSignal<number | undefined>(undefined);
  const drawn = useRef<Drawn>({ post, growingKey }).current;
  const [, draw] = useReducer(bump, 0);

  // What is given may be older than what came by itself since.
  if (given.current !== text) {
    given.current = text;
    parsed.current = parseMarkdown(text, parsed.current);
  }
  growingKey.value = growth === undefined ? undefined : parsed.current.blocks.at(-1)?.key;
  pageText.restore();
  chunks.current = chunksOf(parsed.current.blocks, blocksPerChunk, chunks.current);
  const nodes = useKept(chunks.current, (chunk) => <ChunkView key={chunk[0]?.key} chunk={chunk} drawn={drawn} />);

  useGrowth(growth, (whole, more) => {
    const grown = growMarkdown(whole, more, parsed.current);
    parsed.current = grown.parsed;
    if (grown.words === undefined || !pageText.append(grown.words)) draw(undefined);
  });

  return (
    <div class={growth === undefined ? "markdown" : "markdown growing"} ref={root}>
      {nodes}
    </div>
  );
}

function ChunkView({ chunk, drawn }: { chunk: Chunk; drawn: Drawn }) {
  return <>{useKept(chunk, ({ key, block }) => drawBlock(block, key, drawn))}</>;
}
