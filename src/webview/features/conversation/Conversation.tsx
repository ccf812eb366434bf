import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { TreeNode } from "../../../agent/types.ts";
import type { Notice, QueuedMessage } from "../../../protocol/hostEvents.ts";
import { Button } from "../../ui/Buttons.tsx";
import { type RetryCountdown, useRetryText } from "../../ui/durations.ts";
import { Icon } from "../../ui/Icon.tsx";
import { lazily, useStableNodes } from "../../ui/rendering.ts";
import type { ConversationModel } from "./conversationModel.ts";
import { MessageRow, ResultOfRun } from "./MessageRow.tsx";
import { createDrawing, type Drawing, useStickyScroll } from "./scrolling.ts";
import type { RowGroup } from "./transcript.ts";
import type { RunStatusProps } from "./UnfinishedRun.tsx";

/** Rows at the end of a conversation that more than fill a tall panel. */
const firstRows = 12;

export interface ConversationProps {
  model: ConversationModel;
  /** Above the transcript, which it searches. */
  findBar(root: RefObject<HTMLElement | null>): ComponentChildren;
  /** In place of a transcript, as long as there is none. */
  start(): ComponentChildren;
  /** Below the transcript of a run that failed. */
  endNotice?(notice: Notice): ComponentChildren;
}

/** The selected agent's transcript. It is not live: screen readers announce starts and ends elsewhere. */
export function ConversationView({ model, findBar, start, endNotice }: ConversationProps) {
  const node = model.node.value;
  const ended = model.endNotice.value;
  const held = (node?.meta.depth ?? 0) > 0 ? [] : model.held.value;
  const { groups } = model.transcript.value;
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
      model={model}
    />
  ));

  // A message of the user's own is always shown.
  const sent = model.sentCount.value;
  useEffect(toEnd, [sent]);

  return (
    <div class="conversation-frame">
      {findBar(content)}
      <div
        class="conversation"
        role="log"
        aria-label={t("Conversation")}
        aria-live="off"
        data-running={model.isRunning.value}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        ref={scroller}
        onScroll={onScroll}
      >
        <div class="conversation-content" ref={content}>
          {node === undefined && held.length === 0 && start()}
          {model.hasEarlier.value && node?.meta.depth === 0 && <EarlierButton scroller={scroller} model={model} />}
          {nodes}
          {node !== undefined && hasRun(node, model) && <RunStatus node={node} model={model} />}
          {ended !== undefined && endNotice?.(ended.notice)}
          {held.map((message) => (
            <HeldMessage key={message.id} message={message} />
          ))}
          {node?.meta.depth === 0 && node.status !== "running" && hasRun(node, model) && <ResultOfRun model={model} />}
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

/** A message that was sent, as it looks once its agent has it; where that takes a while it says that it waits. */
function HeldMessage({ message: { text, attachmentCount = 0 } }: { message: QueuedMessage }) {
  return (
    <article class="message user held" aria-label={t("You")} data-first="true">
      <div class="bubble">
        <div class="typed">{text}</div>
        {attachmentCount > 0 && <div class="held-note">{t("{0} attached", attachmentCount)}</div>}
      </div>
      <p class="held-note">{t("Not sent yet")}</p>
    </article>
  );
}

/** Of the root agent's run nothing is said where a rewind removed it. */
function hasRun({ meta, status }: TreeNode, { runs }: ConversationModel): boolean {
  return meta.depth > 0 || status === "running" || runs.value.hasLatest;
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
  model: ConversationModel;
}

/** The unit of layout: the browser skips whole groups that are out of view. */
function RowGroupView({ group, drawnAtFirst, drawing, model }: RowGroupProps) {
  /** Rows at its start that wait to be drawn. */
  const skipped = useSignal(Math.max(0, group.length - drawnAtFirst));
  const isNear = useSignal(drawnAtFirst > 0);
  const element = useRef<HTMLDivElement>(null);
  // What is to be found has to be there.
  const isSearched = model.isSearched.value;
  if (isSearched) skipped.value = 0;
  const drawn = skipped.value === 0 ? group : group.slice(skipped.value);
  const rows = useStableNodes(drawn, (row) => <MessageRow key={row.key} row={row} isNear={isNear} model={model} />);

  useEffect(() => {
    if ((skipped.peek() === 0 && isNear.peek()) || element.current === null) return undefined;
    return drawing.current?.request(element.current, {
      draw(maxRows) {
        skipped.value = Math.max(0, skipped.peek() - maxRows);
        return skipped.peek() > 0;
      },
      onNear() {
        isNear.value = true;
      },
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
  model: ConversationModel;
}

/** Brings the older part of a long chat. */
function EarlierButton({ scroller, model }: EarlierButtonProps) {
  const fromEnd = useRef<number | undefined>(undefined);
  const { rows } = model.transcript.value;
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
          model.showEarlier();
        }}
      >
        {t("Show earlier messages")}
      </Button>
    </div>
  );
}

/** Loaded when the first run has ended otherwise than done. */
const UnfinishedRun = lazily(async () => (await import("./UnfinishedRun.tsx")).UnfinishedRun);
/** What is below the last message: that work goes on, or why it ended. */
function RunStatus({ node, model }: RunStatusProps) {
  switch (node.status) {
    case "running":
      return <Running node={node} model={model} />;
    case "done":
      return null;
    default:
      return <UnfinishedRun node={node} model={model} />;
  }
}

function Running({ node, model }: RunStatusProps) {
  if (node.retry !== undefined) {
    // Without a reason it waits until others are answered, and was not sent before.
    const afterwards = node.retry.error === "" ? t("Queued") : t("Retrying…");
    return (
      <p class="working">
        <RetryText retry={node.retry} timing={model.timing} afterwards={afterwards} />
      </p>
    );
  }
  if (model.isCompacting(node.meta.id)) {
    return <p class="working">{t("Summarizing the context…")}</p>;
  }
  if (isWriting(node)) return null;
  const isWaiting = model.agent(node.meta.id)?.status === "waiting";
  // A tool that runs is finished all the same.
  const isPaused = !isWaiting && model.isPaused(node.meta.id) && !hasRunningTool(node);
  return <p class="working">{isWaiting ? t("Waiting for you") : isPaused ? t("Paused") : t("Working…")}</p>;
}

function RetryText(props: RetryCountdown) {
  return <>{useRetryText(props)}</>;
}

function hasRunningTool({ tools }: TreeNode): boolean {
  return Object.values(tools).some(({ status }) => status === "running");
}

/** Text that appears is sign enough that the agent works. */
function isWriting(node: TreeNode): boolean {
  const last = node.messages.at(-1);
  if (last?.role !== "assistant") return false;
  const part = last.content.at(-1);
  return part !== undefined && (part.type === "toolCall" || part.text.trim() !== "");
}
