import { t } from "@vscode/l10n";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Store } from "../../shell/store.ts";
import { Icon } from "../../ui/Icon.tsx";
import { lazily } from "../../ui/lazily.tsx";
import { useKept } from "../../ui/useKept.ts";
import { EmptyState } from "../start/EmptyState.tsx";
import { createDrawing, type Drawing } from "./drawing.ts";
import { EarlierButton } from "./EarlierButton.tsx";
import { RowGroupView } from "./RowGroupView.tsx";
import { RunState } from "./RunState.tsx";
import { useStickyScroll } from "./stickyScroll.ts";
import type { RowGroup } from "./transcript.ts";

/** Rows at the end of a conversation that more than fill a tall panel. */
const firstRows = 12;

const FindBar = lazily(async () => (await import("../../shell/rare.ts")).FindBar);

/** The selected agent's transcript. It is not live: a reader of the screen hears of starts and ends elsewhere. */
export function Conversation({ store }: { store: Store }) {
  const node = store.shownNode.value;
  const { groups } = store.transcript.value;
  const { scroller, content, isAway, onScroll, toEnd } = useStickyScroll(node?.meta.id);
  const drawing = useRef<Drawing | undefined>(undefined);

  useLayoutEffect(() => {
    if (scroller.current !== null) drawing.current = createDrawing(scroller.current);
    return () => drawing.current?.dispose();
  }, []);

  const nodes = useKept(groups, (group, index) => (
    <RowGroupView
      key={`${node?.meta.id} ${group[0]?.key}`}
      group={group}
      drawnAtFirst={drawnAtFirst(groups, index)}
      drawing={drawing}
      store={store}
    />
  ));

  // A message of one's own is always worth seeing.
  const sent = store.sentCount.value;
  useEffect(toEnd, [sent]);

  return (
    <div class="conversation-frame">
      {store.findRequest.value !== undefined && <FindBar key={node?.meta.id} store={store} root={content} />}
      <div
        class="conversation"
        role="log"
        aria-label={t("Conversation")}
        aria-live="off"
        data-running={store.isRunning.value}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        ref={scroller}
        onScroll={onScroll}
      >
        <div class="conversation-content" ref={content}>
          {node === undefined && <EmptyState store={store} />}
          {store.hasEarlier.value && node?.meta.depth === 0 && <EarlierButton scroller={scroller} store={store} />}
          {nodes}
          {node !== undefined && <RunState node={node} store={store} />}
        </div>
      </div>
      {isAway.value && (
        <button type="button" class="jump" onClick={toEnd}>
          <Icon name="arrow-down" />
          {t("Jump to latest")}
        </button>
      )}
    </div>
  );
}

/** How many rows of a group are part of the first picture, which shows the end of the conversation. */
function drawnAtFirst(groups: readonly RowGroup[], index: number): number {
  const after = groups.slice(index + 1).reduce((count, group) => count + group.length, 0);
  return Math.max(0, firstRows - after);
}
