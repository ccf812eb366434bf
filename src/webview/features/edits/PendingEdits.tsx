import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { PendingEdits as Entry } from "../../../protocol/hostEvents.ts";
import type { Store } from "../../shell/store.ts";
import { visible } from "../../text/visible.ts";
import { Button } from "../../ui/Button.tsx";
import { FoldHead } from "../../ui/FoldHead.tsx";
import { IconButton } from "../../ui/IconButton.tsx";

/** Edits that are written already and wait for Keep or Undo, with the files they are in. */
export function PendingEdits({ store }: { store: Store }) {
  const { pendingEdits } = store.hostState.value;
  const isOpen = useSignal(false);
  const files = new Set(pendingEdits.map(({ path }) => path)).size;
  return (
    <section class="pending-edits" aria-label={t("Pending edits")}>
      <FoldHead isOpen={isOpen}>
        <span>
          {files === 1 ? t("1 file") : t("{0} files", files)} <Lines entries={pendingEdits} />
        </span>
      </FoldHead>
      {isOpen.value && (
        <ul>
          {pendingEdits.map((entry) => (
            <PendingFile key={`${entry.path} ${entry.agentId}`} entry={entry} store={store} />
          ))}
        </ul>
      )}
      <div class="buttons">
        <Button appearance="primary" onClick={() => store.post({ type: "reviewPending" })}>
          {t("Review")}
        </Button>
        <Button onClick={() => store.post({ type: "keepAll" })}>{t("Keep all")}</Button>
        <Button onClick={() => store.post({ type: "undoAll" })}>{t("Undo all")}</Button>
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
      <span class="file-folder" title={t("{0}, by {1}", path, agents)}>
        {[agentPath.map(visible).at(-1), path.slice(0, Math.max(0, slash - 1))].filter(Boolean).join(" · ")}
      </span>
      {entry.movedFrom !== undefined && <span class="file-kind">{t("moved from {0}", visible(entry.movedFrom))}</span>}
      <Lines entries={[entry]} />
      <IconButton icon="check" label={t("Keep {0}", path)} onClick={() => store.post({ type: "keepAll", ...scope })} />
      <IconButton
        icon="discard"
        label={t("Undo {0}", path)}
        onClick={() => store.post({ type: "undoAll", ...scope })}
      />
    </li>
  );
}

function Lines({ entries }: { entries: readonly Entry[] }) {
  const added = entries.reduce((sum, entry) => sum + entry.added, 0);
  const removed = entries.reduce((sum, entry) => sum + entry.removed, 0);
  return (
    <>
      {added > 0 && <span class="added">+{added}</span>} {removed > 0 && <span class="removed">−{removed}</span>}
    </>
  );
}
