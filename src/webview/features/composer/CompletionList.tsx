import { t } from "@vscode/l10n";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { attachmentIcon } from "../../model/userMessage.ts";
import { visible } from "../../text/visible.ts";
import { Icon } from "../../ui/Icon.tsx";
import type { CompletionList as List } from "./completing.ts";
import type { Completion } from "./completion.ts";

export interface CompletionListProps {
  list: List;
  /** The element of the list, for whoever points to its lines and places it. */
  listRef: RefObject<HTMLDivElement | null>;
  point(index: number): void;
  accept(completion: Completion): void;
}

/** What can be meant by what is typed. The focus stays in the text: the mouse does not take it, either. */
export function CompletionList({ list, listRef, point, accept }: CompletionListProps) {
  const { items, active, trigger } = list;
  useLayoutEffect(() => {
    listRef.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active, items, listRef]);
  return (
    <div
      class="completions"
      role="listbox"
      aria-label={trigger.kind === "command" ? t("Commands") : t("Context to attach")}
      ref={listRef}
      onMouseDown={(event) => event.preventDefault()}
    >
      {items.map((completion, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the focus stays in the text, whose keys choose.
        <div
          key={completion.key}
          class="completion"
          role="option"
          aria-selected={index === active}
          onMouseMove={() => point(index)}
          onClick={() => accept(completion)}
        >
          <Line completion={completion} />
        </div>
      ))}
    </div>
  );
}

function Line({ completion }: { completion: Completion }) {
  if (completion.kind === "command") {
    const { name, description } = completion.command;
    return (
      <>
        <span class="completion-label">/{visible(name)}</span>
        <span class="completion-detail" title={visible(description)}>
          {visible(description)}
        </span>
      </>
    );
  }
  const { attachment, label, detail } = completion.suggestion;
  return (
    <>
      <Icon name={attachmentIcon(attachment)} />
      <span class="completion-label">{visible(label)}</span>
      {detail !== undefined && (
        <span class="completion-detail" title={visible(detail)}>
          {visible(detail)}
        </span>
      )}
    </>
  );
}
