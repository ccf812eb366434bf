import { useSignal } from "@preact/signals";
import type { PendingEdits as Entry } from "../../protocol/hostEvents.ts";
import type { Store } from "../store.ts";
import { counted } from "../text/format.ts";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { IconButton } from "../ui/IconButton.tsx";

/** Edits that are written already and wait for Keep or Undo, with the files they are in. */
export function PendingEdits({ store }: { store: Store }) {
  const { pendingEdits } = store.hostState.value;
  const isOpen = useSignal(false);
  if (pendingEdits.length === 0) return null;
  const files = new Set(pendingEdits.map(({ path }) => path)).size;
  return (
    <section class="pending-edits" aria-label="Pending edits">
      <button
        type="button"
        class="fold-head"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.peek();
        }}
      >
        <Icon name={isOpen.value ? "chevron-down" : "chevron-right"} />
        <span>
          {counted(files, "file")} <Lines entries={pendingEdits} />
        </span>
      </button>
      {isOpen.value && (
        <ul>
          {pendingEdits.map((entry) => (
            <PendingFile key={`${entry.path} ${entry.agentId}`} entry={entry} store={store} />
          ))}
        </ul>
      )}
      <div class="buttons">
        <Button appearance="primary" onClick={() => store.post({ type: "reviewPending" })}>
          Review
        </Button>
        <Button onClick={() => store.post({ type: "keepAll" })}>Keep all</Button>
        <Button onClick={() => store.post({ type: "undoAll" })}>Undo all</Button>
      </div>
    </section>
  );
}

/** What one agent wrote into one file. */
function PendingFile({ entry, store }: { entry: Entry; store: Store }) {
  const { agentId, agentPath } = entry;
  const scope = { path: entry.path, agentId };
  const path = visible(entry.path);
  const slash = path.lastIndexOf("/") + 1;
  const agents = agentPath.map(visible).join(" › ");
  return (
    <li>
      <span class="file-name" title={path}>
        {path.slice(slash)}
      </span>
      <span class="file-folder" title={`${path}, by ${agents}`}>
        {[agentPath.map(visible).at(-1), path.slice(0, Math.max(0, slash - 1))].filter(Boolean).join(" · ")}
      </span>
      {entry.movedFrom !== undefined && <span class="file-kind">moved from {visible(entry.movedFrom)}</span>}
      <Lines entries={[entry]} />
      <IconButton icon="check" label={`Keep ${path}`} onClick={() => store.post({ type: "keepAll", ...scope })} />
      <IconButton icon="discard" label={`Undo ${path}`} onClick={() => store.post({ type: "undoAll", ...scope })} />
    </li>
  );
}

function Lines({ entries }: { entries: readonly Entry[] }) {
  const added = entries.reduce((sum, entry) => sum + entry.added, 0);
  const removed = entries.reduce((sum, entry) => sum + entry.removed, 0);
  return (
    <>
      <span class="added">+{added}</span> <span class="removed">−{removed}</span>
    </>
  );
}
