import { type ReadonlySignal, useComputed } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { RefObject } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { visible } from "../text/visible.ts";
import { IconButton } from "../ui/Buttons.tsx";
import { memo } from "../ui/rendering.ts";
import { ScrollBox } from "../ui/ScrollBox.tsx";
import { type CodeToken, lineChunks } from "./highlight/tokens.ts";
import { useHighlighting } from "./highlight/useHighlighting.ts";
import type { Block, PostIntent } from "./structure.ts";

export interface CodeBlockProps {
  block: Extract<Block, { type: "code" }>;
  /** Of the block of the text that it is or is in, and of the one whose end is missing: it is still written, or cut. */
  blockKey: number;
  growingKey: ReadonlySignal<number | undefined>;
  post: PostIntent;
}

export function CodeBlock({ block, blockKey, growingKey, post }: CodeBlockProps) {
  const { language, path, text } = block;
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef(text);
  latest.current = text;
  const texts = useMemo(() => lineChunks(text), [text]);
  const isGrowing = useComputed(() => growingKey.value === blockKey).value;
  const tokens = useHighlighting({ element, language, texts, isWaiting: isGrowing });
  return (
    <div class="code-block" ref={element}>
      <CodeHead language={language} path={path} isGrowing={isGrowing} latest={latest} post={post} />
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

interface CodeHeadProps {
  language: string;
  path: string | undefined;
  isGrowing: boolean;
  /** The code as it is when a button is pressed. */
  latest: RefObject<string>;
  post: PostIntent;
}

/** What stays the same while code is written below it. */
const CodeHead = memo(function CodeHead({ language, path, isGrowing, latest, post }: CodeHeadProps) {
  const target = path === undefined ? {} : { path };
  return (
    <div class="code-head">
      <span class="code-language" title={path === undefined ? undefined : visible(path)}>
        {visible(path ?? language)}
      </span>
      {!isGrowing && (
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
});

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
