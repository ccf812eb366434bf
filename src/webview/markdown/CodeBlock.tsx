import { type ReadonlySignal, useComputed } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { RefObject, VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { visible } from "../text/visible.ts";
import { IconButton } from "../ui/Buttons.tsx";
import { ScrollBox } from "../ui/ScrollBox.tsx";
import { type CodeToken, lineChunks } from "./highlight/tokens.ts";
import { useHighlighting } from "./highlight/useHighlighting.ts";
import type { Block, PostIntent } from "./structure.ts";

export interface CodeBlockProps {
  block: Extract<Block, { type: "code" }>;
  /** Of the block of the text that it is or is in, and of the one whose end is missing: it is still written, or cut. */
  blockKey: number;
  growingKey: ReadonlySignal<number | undefined>;
  isNear: ReadonlySignal<boolean>;
  post: PostIntent;
}

/** One component, whose parts are plain calls: a long chat has a thousand of these. */
export function CodeBlock({ block, blockKey, growingKey, isNear, post }: CodeBlockProps) {
  const { language, path, text } = block;
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef(text);
  latest.current = text;
  const texts = useMemo(() => lineChunks(text), [text]);
  const isGrowing = useComputed(() => growingKey.value === blockKey).value;
  // Colors and buttons only serve a reader.
  const isWaiting = isGrowing || !isNear.value;
  const tokens = useHighlighting({ element, language, texts, isWaiting });
  // What stays the same while code is written below it.
  const head = useMemo(
    () => drawHead({ language, path, hasButtons: !isWaiting, latest, post }),
    [language, path, isWaiting],
  );
  const lines = useStableLines(texts, tokens);
  return (
    <div class="code-block" ref={element}>
      {head}
      {ScrollBox({
        class: "code-scroll",
        children: (
          <pre>
            <code>{lines}</code>
          </pre>
        ),
      })}
    </div>
  );
}

interface CodeHead {
  language: string;
  path: string | undefined;
  hasButtons: boolean;
  /** The code as it is when a button is pressed. */
  latest: RefObject<string>;
  post: PostIntent;
}

function drawHead({ language, path, hasButtons, latest, post }: CodeHead): VNode {
  const target = path === undefined ? {} : { path };
  return (
    <div class="code-head">
      <span class="code-language" title={path === undefined ? undefined : visible(path)}>
        {visible(path ?? language)}
      </span>
      {hasButtons && (
        <>
          <IconButton
            icon="git-pull-request-go-to-changes"
            label={t("Apply as edit")}
            class="on-hover"
            onClick={() => post({ type: "applyCode", text: latest.current, language, ...target })}
          />
          <IconButton
            icon="insert"
            label={t("Insert at cursor")}
            class="on-hover"
            onClick={() => post({ type: "insertAtCursor", text: latest.current })}
          />
          <IconButton
            icon="copy"
            label={t("Copy code")}
            class="on-hover"
            onClick={() => post({ type: "copy", text: latest.current })}
          />
        </>
      )}
    </div>
  );
}

interface Lines {
  text: string;
  tokens: readonly CodeToken[] | undefined;
  node: VNode;
}

/** Stretches of lines with a layout of their own: while code streams in, only the last one is drawn and laid out again. */
function useStableLines(texts: readonly string[], tokens: readonly Lines["tokens"][]): VNode[] {
  const drawn = useRef<readonly Lines[]>([]);
  drawn.current = texts.map((text, index) => {
    const known = drawn.current[index];
    const found = tokens[index];
    return known?.text === text && known.tokens === found ? known : drawLines(text, found, index);
  });
  return drawn.current.map(({ node }) => node);
}

function drawLines(text: string, tokens: Lines["tokens"], key: number): Lines {
  const shown = tokens === undefined ? text : tokens.map(drawToken);
  return {
    ...{ text, tokens },
    node: (
      <span key={key} class="code-lines">
        {shown}
      </span>
    ),
  };
}

function drawToken({ text, kind }: CodeToken, index: number) {
  return kind === undefined ? (
    text
  ) : (
    <span key={index} class={`token-${kind}`}>
      {text}
    </span>
  );
}
