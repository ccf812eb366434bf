import { type Signal, useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { Fragment, type RefObject, type VNode } from "preact";
import { useCallback, useId, useLayoutEffect, useRef } from "preact/hooks";
import { agentTitle } from "../../model/agents.ts";
import { IconButton } from "../../ui/Buttons.tsx";
import { lazily } from "../../ui/rendering.ts";
import { AgentTreeRow, RowTime } from "./AgentTreeRow.tsx";
import type { AgentRow } from "./rows.ts";
import { type TreeHeights, treeStep } from "./treeKeys.ts";
import type { TreeModel } from "./treeModel.ts";

/** Loaded when there are agents beside the root one. */
const TreeDivider = lazily(async () => (await import("./TreeDivider.tsx")).TreeDivider);

export interface AgentTreeProps {
  model: TreeModel;
  /** Above the rows: how they are shown. */
  bar: VNode;
  /** In place of the rows. */
  instead: VNode | false;
  /** What a row opens to. */
  details(agentId: string): VNode;
  /** A line to a running agent. */
  messageField(agentId: string, close: () => void): VNode;
}

const rowHeight = 22;

/** As long as the pointer or the focus is in the tree, no row moves below it. */
function useHold({ isHeld }: TreeModel) {
  const holds = useRef({ pointer: false, focus: false }).current;
  return (by: keyof typeof holds, is: boolean) => {
    holds[by] = is;
    isHeld.value = holds.pointer || holds.focus;
  };
}

/** All agents of the chat. Arrow keys move, Enter shows an agent's transcript. */
export function AgentTreeView({ model, bar, instead, details, messageField }: AgentTreeProps) {
  const rows = model.rows.value;
  const tree = useRef<HTMLDivElement>(null);
  const treeId = useId();
  const hold = useHold(model);
  const selectedId = model.selected.value?.meta.id;
  const toggle = useToggle(model.opened);
  const message = useToggle(model.messaged);
  const { tabStop, focusRow, onKeyDown, onFocusIn } = useRowKeys({ model, tree, rows, selectedId, toggle });
  const { heights, resize } = useHeight(model, tree);
  const time = useCallback((agentId: string) => <RowTime agentId={agentId} model={model} />, [model]);

  // Of these two no row has to be there: it may be filtered out, or in a collapsed branch.
  const opened = model.node(model.opened.value ?? "")?.meta;
  const messaged = model.messaged.value;
  return (
    <section
      class="agents"
      aria-label={t("Agent tree")}
      style={`--active-rows: ${rowsInReach(rows, model.height.value)}`}
    >
      {bar}
      {instead}
      <div class="tree-frame" hidden={instead !== false}>
        {rows.length === 0 && (
          <p class="hint tree-none">{t("No agents match. Choose the filter again to show all.")}</p>
        )}
        <div
          class="tree"
          role="tree"
          aria-label={t("Agents")}
          id={treeId}
          ref={tree}
          onKeyDown={onKeyDown}
          onFocusIn={(event) => {
            onFocusIn(event);
            hold("focus", true);
          }}
          onFocusOut={() => hold("focus", false)}
          onPointerEnter={() => hold("pointer", true)}
          onPointerLeave={() => hold("pointer", false)}
        >
          {rows.map((row) => (
            <AgentTreeRow
              key={row.id}
              {...row}
              isSelected={row.id === selectedId}
              isTabStop={row.id === tabStop}
              select={model.select}
              setExpanded={model.setExpanded}
              stop={model.stop}
              pause={model.pause}
              resume={model.resume}
              message={message}
              isOpen={model.opened.value === row.id}
              toggle={toggle}
              timing={model.timing}
              time={time}
            />
          ))}
        </div>
        {rows.length > 1 && <TreeDivider heights={heights} controls={treeId} resize={resize} />}
      </div>
      {/* Below the tree, which stays a list of rows. */}
      {opened !== undefined && (
        <div class="opened-agent">
          <p class="opened-name">{agentTitle(opened)}</p>
          <IconButton icon="close" label={t("Close details")} onClick={() => toggle(opened.id)} />
          <Fragment key={opened.id}>{details(opened.id)}</Fragment>
        </div>
      )}
      {messaged !== undefined && (
        <Fragment key={messaged}>
          {messageField(messaged, () => {
            model.messaged.value = undefined;
            focusRow(messaged);
          })}
        </Fragment>
      )}
    </section>
  );
}

/** As many rows as it takes to show all that run, wait or failed, unless the user has drawn the tree smaller. */
function rowsInReach(rows: readonly AgentRow[], drawn: number | undefined): number {
  const isActive = ({ status, isGroup }: AgentRow) => !isGroup && /^(?:running|waiting|error)$/.test(status);
  const active = rows.findLastIndex(isActive) + 1;
  return drawn === undefined ? active : Math.min(active, Math.floor(drawn / rowHeight));
}

/** Sets the signal to a row's id, or back to none where it is that already. */
function useToggle(id: Signal<string | undefined>): (agentId: string) => void {
  return useCallback((agentId: string) => {
    id.value = id.peek() === agentId ? undefined : agentId;
  }, []);
}

interface RowKeysOptions {
  model: TreeModel;
  tree: RefObject<HTMLDivElement | null>;
  rows: readonly AgentRow[];
  selectedId: string | undefined;
  toggle(agentId: string): void;
}

/** One row at a time is in the tab order; the keys of the tree go on from the one with the focus. */
function useRowKeys({ model, tree, rows, selectedId, toggle }: RowKeysOptions) {
  const focusedId = useSignal<string | undefined>(undefined);
  const tabStop = rows.find((row) => row.id === focusedId.value)?.id ?? selectedId ?? rows[0]?.id;

  function focusRow(id: string): void {
    focusedId.value = id;
    tree.current?.querySelector<HTMLElement>(`[data-agent="${CSS.escape(id)}"]`)?.focus();
  }

  function choose(id: string): void {
    const row = rows.find((candidate) => candidate.id === id);
    if (row?.isGroup === true) model.setExpanded([id], row.isExpanded !== true);
    else model.select(id);
  }

  const request = model.focusRequest.value;
  useLayoutEffect(() => {
    if (request !== undefined && tabStop !== undefined) focusRow(tabStop);
  }, [request]);

  function onKeyDown(event: KeyboardEvent): void {
    const row = rowOf(event);
    if (row === undefined || event.ctrlKey || event.metaKey) return;
    if (event.altKey) {
      if (event.key === "Enter") toggle(row);
      return;
    }
    const step = treeStep(rows, row, event.key);
    if (step === undefined) return;
    event.preventDefault();
    if (step.type === "focus") focusRow(step.id);
    else if (step.type === "select") choose(step.id);
    else if (step.type === "expandAll") model.setExpanded(step.ids, true);
    else model.setExpanded([step.id], step.type === "expand");
  }

  function onFocusIn(event: FocusEvent): void {
    const row = rowOf(event);
    if (row !== undefined) focusedId.value = row;
  }

  return { tabStop, focusRow, onKeyDown, onFocusIn };
}

function rowOf({ target }: Event): string | undefined {
  return target instanceof HTMLElement ? target.dataset.agent : undefined;
}

function useHeight({ height }: TreeModel, tree: RefObject<HTMLDivElement | null>) {
  const drawn = height.value;
  useLayoutEffect(() => {
    if (tree.current !== null) tree.current.style.maxHeight = drawn === undefined ? "" : `${drawn}px`;
  }, [drawn]);
  const heights = useCallback(() => treeHeights(tree.current), []);
  const resize = useCallback(
    (next: number | undefined) => {
      height.value = next;
    },
    [height],
  );
  return { heights, resize };
}

/** A row at least; at most all of it, and never more than two thirds of the panel. */
function treeHeights(tree: HTMLElement | null): TreeHeights {
  if (tree === null) return { now: rowHeight, min: rowHeight, max: rowHeight };
  const max = Math.max(rowHeight, Math.min(tree.scrollHeight, Math.round((window.innerHeight * 2) / 3)));
  return { now: Math.min(Math.round(tree.clientHeight), max), min: rowHeight, max };
}
