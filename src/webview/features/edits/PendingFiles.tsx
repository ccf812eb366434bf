import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { PendingEdits as Entry } from "../../../protocol/hostEvents.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { plural } from "../../text/format.ts";
import { visible } from "../../text/visible.ts";
import { Button, IconButton, LinkButton } from "../../ui/Buttons.tsx";
import { ChangeKind, LineCounts } from "../../ui/DiffLines.tsx";
import { FoldHead } from "../../ui/FoldHead.tsx";

interface PendingFilesProps {
  entries: readonly Entry[];
  /** Whose an entry is: in short, and with those above. */
  authorOf(entry: Entry): { title: string; path: string };
  post(intent: Intent): void;
}

/** Edits that are written already and wait for Keep or Undo, with the files they are in. */
export function PendingFiles({ entries, authorOf, post }: PendingFilesProps) {
  const isOpen = useSignal(false);
  const files = new Set(entries.map(({ path }) => path)).size;
  return (
    <section class="pending-edits" aria-label={t("Pending edits")}>
      <FoldHead isOpen={isOpen}>
        <span>
          {plural(files, t("{0} file", files), t("{0} files", files))} <Lines entries={entries} />
        </span>
      </FoldHead>
      {isOpen.value && (
        <ul>
          {entries.map((entry) => (
            <PendingFile key={`${entry.path} ${entry.agentId}`} entry={entry} author={authorOf(entry)} post={post} />
          ))}
        </ul>
      )}
      <div class="buttons">
        <Button appearance="primary" onClick={() => post({ type: "reviewPending" })}>
          {t("Review")}
        </Button>
        <Button onClick={() => post({ type: "keepAll" })}>{t("Keep all")}</Button>
        <Button onClick={() => post({ type: "undoAll" })}>{t("Undo all")}</Button>
      </div>
    </section>
  );
}

interface PendingFileProps extends Pick<PendingFilesProps, "post"> {
  entry: Entry;
  author: ReturnType<PendingFilesProps["authorOf"]>;
}

/** What one agent wrote into one file. */
function PendingFile({ entry, author, post }: PendingFileProps) {
  const { agentId, change } = entry;
  const scope = { path: entry.path, agentId };
  const path = visible(entry.path);
  const slash = path.lastIndexOf("/") + 1;
  return (
    <li>
      <span class="file-name" title={path}>
        {change === "delete" ? (
          path.slice(slash)
        ) : (
          <LinkButton title={t("Open {0}", path)} onClick={() => post({ type: "openFile", path: entry.path })}>
            {path.slice(slash)}
          </LinkButton>
        )}
      </span>
      <span class="file-folder" title={t("{0}, by {1}", path, author.path)}>
        {[author.title, path.slice(0, Math.max(0, slash - 1))].filter(Boolean).join(" · ")}
      </span>
      {change !== undefined && <ChangeKind change={change} movedTo={undefined} />}
      {entry.movedFrom !== undefined && (
        <span class="file-kind moved-from">{t("moved from {0}", visible(entry.movedFrom))}</span>
      )}
      <Lines entries={[entry]} />
      <IconButton icon="check" label={t("Keep {0}", path)} onClick={() => post({ type: "keepAll", ...scope })} />
      <IconButton icon="discard" label={t("Undo {0}", path)} onClick={() => post({ type: "undoAll", ...scope })} />
    </li>
  );
}

function Lines({ entries }: { entries: readonly Entry[] }) {
  const added = entries.reduce((sum, entry) => sum + entry.added, 0);
  const removed = entries.reduce((sum, entry) => sum + entry.removed, 0);
  return <LineCounts added={added} removed={removed} />;
}
