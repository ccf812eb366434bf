import { type ReadonlySignal, type Signal, signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { omittedOf } from "../../protocol/messageTexts.ts";
import type { TextFeed, TextListener } from "../model/publisher.ts";
import { lazily, useStableNodes } from "../ui/rendering.ts";
import { appendMarkdown } from "./appendMarkdown.ts";
import { type Drawn, drawBlock } from "./draw.tsx";
import { emptyMarkdown, type ParsedBlock, parseMarkdown } from "./parse.ts";
import type { PostIntent } from "./structure.ts";

export interface MarkdownProps {
  text: string;
  /** More is to come, and from where: the end is marked. */
  source?: TextSource;
  /** What the text is from: the host may have cut it. */
  of?: object;
  /** It is in view, or was, or it nearly is. */
  isNear?: ReadonlySignal<boolean>;
  post: PostIntent;
}

/** Loaded with the first text that is too long for the panel. */
export const TextEnd = lazily(async () => (await import("../ui/OmittedText.tsx")).OmittedText);

type Chunk = readonly ParsedBlock[];

const blocksPerChunk = 8;
const bump = (count: number) => count + 1;
const always = signal(true);

/** Markdown as elements. While a text grows, only its last block is taken apart and drawn again, or just goes on. */
export function Markdown({ text, source, of, isNear = always, post }: MarkdownProps) {
  const omitted = of && omittedOf(of);
  const root = useRef<HTMLDivElement>(null);
  const given = useRef("");
  const parsed = useRef(emptyMarkdown);
  const blocksShown = useRef<Chunk>([]);
  const shown = useRef<readonly Signal<Chunk>[]>([]);
  const pageText = useRef(createPageText(root)).current;
  const growingKey = useSignal<number | undefined>(undefined);
  const drawn = useRef<Drawn>({ post, growingKey, isNear, nodes: new WeakMap() }).current;
  const [, draw] = useReducer(bump, 0);

  // The property may be older than the deltas that came since.
  if (given.current !== text) {
    given.current = text;
    parsed.current = parseMarkdown(text, parsed.current);
  }
  show();
  const nodes = useStableNodes(shown.current, (chunk) => (
    <ChunkView key={chunk.peek()[0]?.key} chunk={chunk} drawn={drawn} />
  ));

  /** Chunks draw themselves. True when there are more of them than before, or fewer. */
  function show(): boolean {
    pageText.restore();
    const { blocks } = parsed.current;
    growingKey.value = source === undefined && omitted === undefined ? undefined : blocks.at(-1)?.key;
    const before = blocksShown.current;
    blocksShown.current = blocks;
    let same = 0;
    while (same < blocks.length && blocks[same] === before[same]) same++;
    if (same === blocks.length && same === before.length) return false;
    const chunkAt = (index: number) => blocks.slice(index * blocksPerChunk, (index + 1) * blocksPerChunk);
    const known = shown.current;
    const count = Math.ceil(blocks.length / blocksPerChunk);
    // A long text has hundreds of blocks: with each delta only those that changed are gone through.
    const firstChanged = Math.floor(same / blocksPerChunk);
    for (const [offset, chunk] of known.slice(firstChanged, count).entries()) {
      chunk.value = chunkAt(firstChanged + offset);
    }
    if (known.length === count) return false;
    shown.current = Array.from({ length: count }, (_, index) => known[index] ?? signal(chunkAt(index)));
    return true;
  }

  useTextSource(source, (whole, more) => {
    const next = appendMarkdown(whole, more, parsed.current);
    parsed.current = next.parsed;
    const isAppended = next.appended !== undefined && pageText.append(next.appended);
    if (!isAppended && show()) draw(undefined);
  });

  return (
    <div class={source === undefined ? "markdown" : "markdown growing"} ref={root}>
      {nodes}
      {omitted && <TextEnd omitted={omitted} post={post} />}
    </div>
  );
}

function ChunkView({ chunk, drawn }: { chunk: ReadonlySignal<Chunk>; drawn: Drawn }) {
  return <>{useStableNodes(chunk.value, ({ key, block }) => drawBlock(block, key, drawn))}</>;
}

/** Where the deltas of a text that is being written come from. */
interface TextSource {
  feed: TextFeed;
  messageId: string;
  /** Of the part in the message. */
  index: number;
}

/** Calls the listener with each delta of a text, as long as it has a source. */
function useTextSource(source: TextSource | undefined, listener: TextListener): void {
  const latest = useRef(listener);
  latest.current = listener;
  const { feed, messageId, index } = source ?? {};
  useLayoutEffect(() => {
    if (feed === undefined || messageId === undefined || index === undefined) return undefined;
    return feed.subscribe(messageId, index, (text, more) => latest.current(text, more));
  }, [feed, messageId, index]);
}

/**
 * The last text on the page below an element. Words go straight to its end, past the drawing of components; before
 * these are drawn again it is put back to what they know.
 */
export interface PageText {
  /** False when the page does not end as expected: nothing was appended then. */
  append(text: { ending: string; added: string }): boolean;
  restore(): void;
}

function createPageText(root: RefObject<Element | null>): PageText {
  let node: Text | undefined;
  let drawnLength = 0;
  return {
    append({ ending, added }) {
      const last = node ?? lastText(root.current);
      if (last === undefined || last.length < ending.length) return false;
      if (last.substringData(last.length - ending.length, ending.length) !== ending) return false;
      if (node === undefined) {
        node = last;
        drawnLength = last.length;
      }
      if (added !== "") last.appendData(added);
      return true;
    },
    restore() {
      if (node === undefined) return;
      node.deleteData(drawnLength, node.length - drawnLength);
      node = undefined;
    },
  };
}

function lastText(root: Node | null): Text | undefined {
  let node = root;
  while (node !== null && !(node instanceof Text)) node = node.lastChild;
  return node ?? undefined;
}
