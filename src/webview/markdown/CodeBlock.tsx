import { type ReadonlySignal, useComputed } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useMemo, useRef } from "preact/hooks";
import { visible } from "../text/visible.ts";
import { IconButton } from "../ui/IconButton.tsx";
import { memo } from "../ui/memo.tsx";
import { ScrollBox } from "../ui/ScrollBox.tsx";
import type { CodeToken } from "./highlight/tokens.ts";
import { useHighlighting } from "./highlight/useHighlighting.ts";
import { lineChunks } from "./lineChunks.ts";
import type { Block, Post } from "./structure.ts";

export interface CodeBlockProps {
  block: Extract<Block, { type: "code" }>;
  /** Of the block of the text that it is or is in, and of the one that more is written to. */
  blockKey: number;
  growingKey: ReadonlySignal<number | undefined>;
  post: Post;
}

export function CodeBlock({ block, blockKey, growingKey, post }: CodeBlockProps) {
  const { language, path, text } = block;
  const element = useRef<HTMLDivElement>(null);
  const texts = useMemo(() => lineChunks(text), [text]);
  const isGrowing = useComputed(() => growingKey.value === blockKey).value;
  const tokens = useHighlighting({ element, language, texts, isWaiting: isGrowing });
  const target = path === undefined ? {} : { path };
  return (
    <div class="code-block" ref={element}>
      <div class="code-head">
        <span class="code-language" title={path === undefined ? undefined : visible(path)}>
          {visible(path ?? language)}
        </span>
        <IconButton
          icon="git-pull-request-go-to-changes"
          label={t("Apply as edit")}
          class="on-hover"
          onClick={() => post({ type: "applyCode", text, language, ...target })}
        />
        <IconButton
          icon="insert"
          label={t("Insert at cursor")}
          class="on-hover"
          onClick={() => post({ type: "insertAtCursor", text })}
        />
        <IconButton icon="copy" label={t("Copy code")} class="on-hover" onClick={() => post({ type: "copy", text })} />
      </div>
      <ScrollBox class="code-scroll">
        <pre>
          <code>
            {texts.map((piece, index) => (
              <Lines key={index} text={piece} tokens={tokens[index]} />
            ))}
          </code>
        </pre>
      </ScrollBox>
    </div>
  );
}

interface LinesProps {
  text: string;
  tokens: readonly CodeToken[] | undefined;
}

/** A stretch of lines with a layout of its own: while code streams in, only the last one is laid out again. */
const Lines = memo(function Lines({ text, tokens }: LinesProps) {
  return <span class="code-lines">{tokens === undefined ? text : tokens.map(drawToken)}</span>;
});

function drawToken({ text, kind }: CodeToken, index: number) {
  return kind === undefined ? (
    text
  ) : (
    <span key={index} class={`token-${kind}`}>
      {text}
    </span>
  );
}
