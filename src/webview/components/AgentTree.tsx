import { useSignal } from "@preact/signals";
import { useCallback, useLayoutEffect, useRef } from "preact/hooks";
import { treeStep } from "../state/treeKeys.ts";
import type { Store } from "../store.ts";
import { AgentDetails } from "./AgentDetails.tsx";
import { AgentTreeRow } from "./AgentTreeRow.tsx";
import { MessageAgent } from "./MessageAgent.tsx";

/** All agents of the chat. Arrow keys move, Enter shows an agent's transcript. */
export function AgentTree({ store }: { store: Store }) {
  const rows = store.rows.value;
  const focusedId = useSignal<string | undefined>(undefined);
  const openIds = useSignal<ReadonlySet<string>>(new Set());
  const messagedId = useSignal<string | undefined>(undefined);
  const tree = useRef<HTMLDivElement>(null);
  const selectedId = store.selected.value?.meta.id;
  const tabStop = rows.find((row) => row.id === focusedId.value)?.id ?? selectedId ?? rows[0]?.id;

  const stop = useCallback((agentId: string) => store.post({ type: "stop", agentId }), [store]);
  const message = useCallback((agentId: string) => {
    messagedId.value = messagedId.peek() === agentId ? undefined : agentId;
  }, []);

  const toggle = useCallback((agentId: string) => {
    const next = new Set(openIds.peek());
    if (!next.delete(agentId)) next.add(agentId);
    openIds.value = next;
  }, []);

  function focusRow(id: string): void {
    focusedId.value = id;
    tree.current?.querySelector<HTMLElement>(`[data-agent="${CSS.escape(id)}"]`)?.focus();
  }

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

  const details = useCallback((agentId: string) => <AgentDetails agentId={agentId} store={store} />, [store]);
  const messaged = rows.find((row) => row.id === messagedId.value);
  return (
    <section class="agents" aria-label="Agent tree">
      <div class="tree" role="tree" aria-label="Agents" ref={tree} onKeyDown={onKeyDown} onFocusIn={onFocusIn}>
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
            isOpen={openIds.value.has(row.id)}
            toggle={toggle}
            timing={store.timing}
            details={details}
          />
        ))}
      </div>
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
