import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Store } from "../../shell/panel.ts";
import { Button } from "../../ui/Buttons.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { lazily, useStableNodes } from "../../ui/rendering.ts";
import { EmptyState } from "../start/EmptyState.tsx";
import { MessageRow } from "./MessageRow.tsx";
import { RunState } from "./RunState.tsx";
import { createDrawing, type Drawing, useStickyScroll } from "./scrolling.ts";
import type { RowGroup } from "./transcript.ts";

/** Rows at the end of a conversation that more than fill a tall panel. */
const firstRows = 12;

const FindBar = lazily(async () => (await import("../../shell/onDemand.ts")).FindBar);

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

  const nodes = useStableNodes(groups, (group, index) => (
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

interface RowGroupProps {
  group: RowGroup;
  /** Rows at its end that are drawn at once; the others when they come near the view or the browser is idle. */
  drawnAtFirst: number;
  drawing: RefObject<Drawing | undefined>;
  store: Store;
}

/** The unit of layout: the browser skips whole groups that are out of view. */
function RowGroupView({ group, drawnAtFirst, drawing, store }: RowGroupProps) {
  /** Rows at its start that wait to be drawn. */
  const skipped = useSignal(Math.max(0, group.length - drawnAtFirst));
  const element = useRef<HTMLDivElement>(null);
  // What is to be found has to be there.
  const isSearched = store.findRequest.value !== undefined;
  if (isSearched) skipped.value = 0;
  const drawn = skipped.value === 0 ? group : group.slice(skipped.value);
  const rows = useStableNodes(drawn, (row) => <MessageRow key={row.key} row={row} store={store} />);

  useEffect(() => {
    if (skipped.peek() === 0 || element.current === null) return undefined;
    return drawing.current?.request(element.current, () => {
      skipped.value = 0;
    });
  }, []);

  return (
    <div class={drawn.length > 0 ? "row-group" : "row-group undrawn"} ref={element}>
      {rows}
    </div>
  );
}

interface EarlierButtonProps {
  /** What is scrolled: what the reader sees stays where it is when messages come above it. */
  scroller: RefObject<HTMLElement | null>;
  store: Store;
}

/** Brings the older part of a long chat. */
function EarlierButton({ scroller, store }: EarlierButtonProps) {
  const fromEnd = useRef<number | undefined>(undefined);
  const { rows } = store.transcript.value;
  const first = rows[0]?.key;

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element !== null && fromEnd.current !== undefined) element.scrollTop = element.scrollHeight - fromEnd.current;
    fromEnd.current = undefined;
  }, [first]);

  return (
    <div class="history-more">
      <Button
        onClick={() => {
          const element = scroller.current;
          if (element !== null) fromEnd.current = element.scrollHeight - element.scrollTop;
          store.post({ type: "showEarlier" });
        }}
      >
        {t("Show earlier messages")}
      </Button>
    </div>
  );
}
