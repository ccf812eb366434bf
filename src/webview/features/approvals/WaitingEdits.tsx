import type { Signal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useRef } from "preact/hooks";
import type { Approval } from "../../../protocol/hostEvents.ts";
import { plural } from "../../text/format.ts";
import { visible } from "../../text/visible.ts";
import { Button, IconButton, LinkButton } from "../../ui/Buttons.tsx";
import { LineCounts } from "../../ui/DiffLines.tsx";
import { FoldHead } from "../../ui/FoldHead.tsx";
import { useAnswerable } from "../../ui/inView.ts";
import type { ApprovalsModel } from "./approvals.ts";
import { linesAdded, linesRemoved } from "./FileChange.tsx";

interface WaitingEditsProps {
  /** More than one; with another list this is another component. */
  edits: readonly Approval[];
  /** The files are listed. */
  isOpen: Signal<boolean>;
  model: ApprovalsModel;
}

/** All edits that wait: their files, one answer for all of them, and one diff. */
export function WaitingEdits({ edits, isOpen, model }: WaitingEditsProps) {
  const list = useRef<HTMLElement>(null);
  const ids = edits.map(({ id }) => id);
  const seenId = `edits ${ids.join(" ")}`;
  const isReady = useAnswerable(list, seenId, model.guard);
  const hunks = edits.flatMap(({ files }) => files.flatMap((file) => file.hunks));
  const count = edits.length;
  return (
    <section class="waiting-edits" aria-label={t("Waiting edits")} ref={list}>
      <div class="waiting-head">
        <FoldHead isOpen={isOpen}>
          <span>
            {plural(count, t("{0} edit", count), t("{0} edits", count))}{" "}
            <LineCounts added={linesAdded(hunks)} removed={linesRemoved(hunks)} />
          </span>
        </FoldHead>
        <IconButton
          icon="diff-multiple"
          label={t("Review all")}
          title={t("Show all pending edits in one diff")}
          onClick={() => model.post({ type: "reviewPending" })}
        />
        <Button isUnavailable={!isReady} onClick={() => model.decideEdits(seenId, ids, { decision: "accepted" })}>
          {t("Accept all")}
        </Button>
      </div>
      {isOpen.value && (
        <ul>
          {edits.flatMap((approval) =>
            approval.files.map(({ path, hunks: own }) => (
              <li key={`${approval.id} ${path}`} data-shown={model.shown.value?.id === approval.id}>
                <span class="file-name" title={visible(path)}>
                  <LinkButton title={t("Show the edit of {0}", visible(path))} onClick={() => model.show(approval.id)}>
                    {visible(path.slice(path.lastIndexOf("/") + 1))}
                  </LinkButton>
                </span>
                <span class="file-folder">{model.pathOf(approval)}</span>
                <LineCounts added={linesAdded(own)} removed={linesRemoved(own)} />
              </li>
            )),
          )}
        </ul>
      )}
    </section>
  );
}
