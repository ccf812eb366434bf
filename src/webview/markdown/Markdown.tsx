import { type ReadonlySignal, type Signal, signal, useSignal } from "@preact/signals";
import { useReducer, useRef } from "preact/hooks";
import { chunksOf } from "../ui/chunks.ts";
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

const blocksPerChunk = 8;
const bump = (count: number) => count + 1;

/** Markdown as elements. While a text grows, only its last block is taken apart and drawn again, or just goes on. */
export function Markdown({ text, growth, post }: MarkdownProps) {
  const root = useRef<HTMLDivElement>(null);
  const given = useRef("");
  const parsed = useRef(emptyMarkdown);
  const chunks = useRef<readonly Chunk[]>([]);
  const shown = useRef<readonly Signal<Chunk>[]>([]);
  const pageText = useRef(createPageText(root)).current;
  const growingKey = useSignal<number | undefined>(undefined);
  const drawn = useRef<Drawn>({ post, growingKey }).current;
  const [, draw] = useReducer(bump, 0);

  // What is given may be older than what came by itself since.
  if (given.current !== text) {
    given.current = text;
    parsed.current = parseMarkdown(text, parsed.current);
  }
  show();
  const nodes = useKept(shown.current, (chunk) => <ChunkView key={chunk.peek()[0]?.key} chunk={chunk} drawn={drawn} />);

  /** Chunks draw themselves. True when there are more of them than before, or fewer. */
  function show(): boolean {
    pageText.restore();
    growingKey.value = growth === undefined ? undefined : parsed.current.blocks.at(-1)?.key;
    chunks.current = chunksOf(parsed.current.blocks, blocksPerChunk, chunks.current);
    const known = shown.current;
    for (const [index, chunk] of known.entries()) chunk.value = chunks.current[index] ?? chunk.peek();
    if (known.length === chunks.current.length) return false;
    shown.current = chunks.current.map((chunk, index) => known[index] ?? signal(chunk));
    return true;
  }

  useGrowth(growth, (whole, more) => {
    const grown = growMarkdown(whole, more, parsed.current);
    parsed.current = grown.parsed;
    const isAppended = grown.words !== undefined && pageText.append(grown.words);
    if (!isAppended && show()) draw(undefined);
  });

  return (
    <div class={growth === undefined ? "markdown" : "markdown growing"} ref={root}>
      {nodes}
    </div>
  );
}

function ChunkView({ chunk, drawn }: { chunk: ReadonlySignal<Chunk>; drawn: Drawn }) {
  return <>{useKept(chunk.value, ({ key, block }) => drawBlock(block, key, drawn))}</>;
}
