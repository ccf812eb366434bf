import { t } from "@vscode/l10n";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { attachmentIcon } from "../../model/attachments.ts";
import { visible } from "../../text/visible.ts";
import { Icon } from "../../ui/Icon.tsx";
import { type CompletionGroup, type CompletionItem, groupOf, type OpenCompletions } from "./completion.ts";

export interface CompletionListProps {
  list: OpenCompletions;
  /** The element of the list, for code that points to its lines and positions it. */
  listRef: RefObject<HTMLDivElement | null>;
  point(index: number): void;
  accept(completion: CompletionItem): void;
}

/** What can be meant by what is typed. The focus stays in the text: the mouse does not take it, either. */
export function CompletionList({ list, listRef, point, accept }: CompletionListProps) {
  const { items, active, trigger } = list;
  useLayoutEffect(() => {
    listRef.current?.querySelectorAll("[role=option]")[active]?.scrollIntoView({ block: "nearest" });
  }, [active, items, listRef]);
  const groups = groupsOf(items);
  return (
    <div
      class="completions"
      role="listbox"
      // What scrolls must be reachable by keyboard; Tab in the text chooses, so it does not lead here.
      tabIndex={0}
      aria-label={trigger.kind === "command" ? t("Commands") : t("Context to attach")}
      ref={listRef}
      onMouseDown={(event) => event.preventDefault()}
    >
      {groups.map(({ group, start, items: own }) => (
        // biome-ignore lint/a11y/useSemanticElements: a part of a list is no field set.
        <div key={group} role="group" aria-label={groupTitles[group]}>
          {groups.length > 1 && (
            <div class="completion-group" aria-hidden="true">
              {groupTitles[group]}
            </div>
          )}
          {own.map((completion, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the focus stays in the text, whose keys choose.
            <div
              key={completion.key}
              class="completion"
              role="option"
              aria-selected={start + index === active}
              onMouseMove={() => point(start + index)}
              onClick={() => accept(completion)}
            >
              <Line completion={completion} />
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

const groupTitles: Readonly<Record<CompletionGroup, string>> = {
  command: t("Commands"),
  prompt: t("Prompts"),
  skill: t("Skills"),
  server: t("MCP servers"),
  agent: t("Agents"),
  context: t("Context"),
  file: t("Files"),
  folder: t("Folders"),
  symbol: t("Symbols"),
  resource: t("Resources"),
};

interface ShownGroup {
  group: CompletionGroup;
  /** Of its first item, in the list. */
  start: number;
  items: CompletionItem[];
}

/** Runs of items of one group. */
function groupsOf(items: readonly CompletionItem[]): ShownGroup[] {
  const groups: ShownGroup[] = [];
  for (const [index, item] of items.entries()) {
    const group = groupOf(item);
    const last = groups.at(-1);
    if (last?.group === group) last.items.push(item);
    else groups.push({ group, start: index, items: [item] });
  }
  return groups;
}

function Line({ completion }: { completion: CompletionItem }) {
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
