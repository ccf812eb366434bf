import type { Intent } from "../../protocol/messages.ts";
import { IconButton } from "../ui/IconButton.tsx";
import { memo } from "../ui/memo.tsx";
import { ScrollBox } from "../ui/ScrollBox.tsx";
import { lineChunks } from "./lineChunks.ts";
import type { Block } from "./structure.ts";

export interface CodeBlockProps {
  block: Extract<Block, { type: "code" }>;
  post(intent: Intent): void;
}

export function CodeBlock({ block: { language, text }, post }: CodeBlockProps) {
  return (
    <div class="code-block">
      <div class="code-head">
        <span class="code-language">{language}</span>
        <IconButton
          icon="insert"
          label="Insert at cursor"
          class="on-hover"
          onClick={() => post({ type: "insertAtCursor", text })}
        />
        <IconButton icon="copy" label="Copy code" class="on-hover" onClick={() => post({ type: "copy", text })} />
      </div>
      <ScrollBox class="code-scroll">
        <pre>
          <code>
            {lineChunks(text).map((chunk, index) => (
              <Lines key={index} text={chunk} />
            ))}
          </code>
        </pre>
      </ScrollBox>
    </div>
  );
}

/** A stretch of lines with a layout of its own: while code streams in, only the last one is laid out again. */
const Lines = memo(function Lines({ text }: { text: string }) {
  return <span class="code-lines">{text}</span>;
});
