import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useCallback, useId, useLayoutEffect, useRef } from "preact/hooks";
import type { Store } from "../../shell/store.ts";
import { IconButton } from "../../ui/IconButton.tsx";
import { lazily } from "../../ui/lazily.tsx";
import { AgentTreeRow } from "./AgentTreeRow.tsx";
import { RootTime } from "./RootTime.tsx";
import { TreeDivider } from "./TreeDivider.tsx";
import type { TreeHeights } from "./treeHeight.ts";
import { treeStep } from "./treeKeys.ts";

const AgentDetails = lazily(async () => (await import("../../shell/rare.ts")).AgentDetails);

const MessageAgent = lazily(async () => (await import("../../shell/rare.ts")).MessageAgent);

const rowHeight = 22;

/** All agents of the chat. Arrow keys move, Enter shows an agent's transcript. */
export function AgentTree({ store }: { store: Store }) {
  const rows = store.rows.value;
  const focusedId = useSignal<string | undefined>(undefined);
  const openId = useSignal<string | undefined>(undefined);
  const messagedId = useSignal<string | undefined>(undefined);
  const tree = useRef<HTMLDivElement>(null);
  const treeId = useId();
  const selectedId = store.selected.value?.meta.id;
  const tabStop = rows.find((row) => row.id === focusedId.value)?.id ?? selectedId ?? rows[0]?.id;

  const stop = useCallback((agentId: string) => store.post({ type: "stop", agentId }), [store]);
  const message = useCallback((agentId: string) => {
    messagedId.value = messagedId.peek() === agentId ? undefined : agentId;
  }, []);

  const toggle = useCallback((agentId: string) => {
    openId.value = openId.peek() === agentId ? undefined : agentId;
  }, []);

  function focusRow(id: string): void {
    focusedId.value = id;
    tree.current?.querySelector<HTMLElement>(`[data-agent="${CSS.escape(id)}"]`)?.focus();
  }

  const height = store.treeHeight.value;
  useLayoutEffect(() => {
    if (tree.current !== null) tree.current.style.maxHeight = height === undefined ? "" : `${height}px`;
  }, [height]);

  const heights = useCallback(() => treeHeights(tree.current), []);
  const resize = useCallback(
    (next: number | undefined) => {
      store.treeHeight.value = next;
    },
    [store],
  );

  const request = store.focusRequest.value;
  useLayoutEffect(() => {
    if (request?.target === "tree" && tabStop !== undefined) focusRow(tabStop);
  }, [request]);

  function onKeyDown(event: KeyboardEvent): void {
    const row = event.target instanceof HTMLElement ? event.target.dataset.agent : undefined;
    if (row === undefined || event.ctrlKey || event.metaKey) return;
    if (event.altKey) {
      if (event.key === "Enter") toggle(row);
      return;
    }
    const step = treeStep(rows, row, event.key);
    if (step === undefined) return;
    event.preventDefault();
    if (step.type === "focus") focusRow(step.id);
    else if (step.type === "select") store.select(step.id);
    else if (step.type === "expandAll") store.setExpanded(step.ids, true);
    else store.setExpanded([step.id], step.type === "expand");
  }

  function onFocusIn(event: FocusEvent): void {
    const row = event.target instanceof HTMLElement ? event.target.dataset.agent : undefined;
    if (row !== undefined) focusedId.value = row;
  }

  const time = useCallback((agentId: string) => <RootTime agentId={agentId} store={store} />, [store]);
  const opened = rows.find((row) => row.id === openId.value);
  const messaged = rows.find((row) => row.id === messagedId.value);
  return (
    <section class="agents" aria-label={t("Agent tree")}>
      <div class="tree-frame">
        <div
          class="tree"
          role="tree"
          aria-label={t("Agents")}
          id={treeId}
          ref={tree}
          onKeyDown={onKeyDown}
          onFocusIn={onFocusIn}
        >
          {rows.map((row) => (
            <AgentTreeRow
              key={row.id}
              {...row}
              isSelected={row.id === selectedId}
              isTabStop={row.id === tabStop}
              select={store.select}
              setExpanded={store.setExpanded}
              stop={stop}
              message={message}
              isOpen={openId.value === row.id}
              toggle={toggle}
              timing={store.timing}
              time={time}
            />
          ))}
        </div>
        {rows.length > 1 && <TreeDivider heights={heights} controls={treeId} resize={resize} />}
      </div>
      {/* Below the tree, which stays a list of rows. */}
      {opened !== undefined && (
        <div class="opened-agent">
          <p class="opened-name">{opened.name}</p>
          <IconButton icon="close" label={t("Close details")} onClick={() => toggle(opened.id)} />
          <AgentDetails key={opened.id} agentId={opened.id} store={store} />
        </div>
      )}
      {messaged !== undefined && (
        <MessageAgent
          key={messaged.id}
          name={messaged.name}
          send={(text) => store.post({ type: "messageAgent", agentId: messaged.id, text })}
          close={() => {
            messagedId.value = undefined;
            focusRow(messaged.id);
          }}
        />
      )}
    </section>
  );
}

/** A row at least; at most all of it, and never more than two thirds of the panel. */
function treeHeights(tree: HTMLElement | null): TreeHeights {
  if (tree === null) return { now: rowHeight, least: rowHeight, most: rowHeight };
  const most = Math.max(rowHeight, Math.min(tree.scrollHeight, Math.round((window.innerHeight * 2) / 3)));
  return { now: Math.min(Math.round(tree.clientHeight), most), least: rowHeight, most };
}
