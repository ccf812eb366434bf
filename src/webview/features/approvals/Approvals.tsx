import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useRef } from "preact/hooks";
import type { GrantScope } from "../../../protocol/grants.ts";
import type { Approval, ApprovalFile } from "../../../protocol/hostEvents.ts";
import { userAgentId } from "../../../protocol/userAgent.ts";
import { askerPaths } from "../../text/askers.ts";
import { visible } from "../../text/visible.ts";
import { Around, inset } from "../../ui/Around.tsx";
import { IconButton } from "../../ui/Buttons.tsx";
import { LineCounts } from "../../ui/DiffLines.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { useAnswerable } from "../../ui/inView.ts";
import { AnswerButtons } from "./AnswerButtons.tsx";
import { type ApprovalsModel, approvalKey, type Decision } from "./approvals.ts";
import { ApprovalRequestView } from "./CommandRequest.tsx";
import { FileHunks, linesAdded, linesRemoved } from "./FileChange.tsx";
import { ScopeMenu } from "./ScopeMenu.tsx";
import { WaitingEdits } from "./WaitingEdits.tsx";

/** Lines of two files that are shown at once. */
const maxOpenLines = 20;

interface ApprovalCardProps {
  approval: Approval;
  /** Of all edits that wait, this card's among them if it is one. */
  editIds: readonly string[];
  model: ApprovalsModel;
}

/** Something that waits for an answer: all who want it, what would change, and the buttons. */
function ApprovalCard({ approval, editIds, model }: ApprovalCardProps) {
  const reason = useSignal("");
  const isMenuOpen = useSignal(false);
  const card = useRef<HTMLDivElement>(null);
  const { id, files, request, scopes = [], why = [], isInterrupted } = approval;
  const hunks = files.flatMap((file) => file.hunks);
  // All of it is written: what is left is to keep or to undo it. In a proposal that waits still, the user may have taken
  // out what was not answered: then it is to be closed.
  const isOnDisk = isInterrupted === true && hunks.length > 0 && hunks.every(({ decision }) => decision !== "pending");
  const waitingEdits = request === undefined ? editIds : [];
  // What the user writes runs once.
  const edited = model.editedCommands.value.get(id);
  const hasMenu = (scopes.length > 0 && edited === undefined) || waitingEdits.length > 1 || isMenuOpen.value;
  const hunkCount = hunks.length;
  const isLong = files.length > 2 || (files.length > 1 && linesAdded(hunks) + linesRemoved(hunks) > maxOpenLines);

  const open = hunks.filter(({ decision }) => decision === "pending");
  const conflicts = open.filter(({ conflicted }) => conflicted === true);
  const isConflicted = conflicts.length > 0 && conflicts.length === open.length;
  const isReady = useAnswerable(card, id, model.guard, conflicts.map((hunk) => hunk.id).join(" "));

  function answer(decision: Decision): { decision: Decision; reason?: string } {
    const feedback = reason.peek().trim();
    return { decision, ...(decision === "rejected" && feedback !== "" && { reason: feedback }) };
  }

  function decide(decision: Decision): void {
    model.decide(id, decision, answer(decision));
  }

  function decideEdits(decision: Decision, approvalIds: readonly string[]): void {
    model.decideEdits(id, approvalIds, answer(decision));
    // What comes while these are written is not to be answered by a second click.
    closeMenu();
  }

  function allow(scope: GrantScope): void {
    model.decide(id, "accepted", { scope });
  }

  function closeMenu(): void {
    isMenuOpen.value = false;
    card.current?.querySelector<HTMLElement>(".more-answers")?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const decision = approvalKey(event);
    if (decision === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    decide(decision);
  }

  const askers = askerPaths(approval, model.pathOf);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a card is a group, not a field set.
    <div
      class="approval"
      role="group"
      aria-label={approvalName(approval)}
      tabIndex={-1}
      ref={card}
      onKeyDown={onKeyDown}
    >
      <p class="approval-lineage">
        <Icon name="report" />
        <span>
          <Around text={isOnDisk ? t("{0} changed", inset) : requestText(approval, askers !== "")}>
            <strong>{askers}</strong>
          </Around>
          {files.length > 1 && !isOnDisk && <FileTotals files={files} />}
        </span>
      </p>
      {isInterrupted === true && <InterruptedNote files={files} />}
      {why.map((sentence) => (
        <p key={sentence} class="approval-why">
          {visible(sentence)}
        </p>
      ))}
      {request !== undefined && <ApprovalRequestView id={id} request={request} edited={model.editedCommands} />}
      <div class="approval-files">
        {files.map((file) => (
          <FileHunks
            key={file.path}
            file={file}
            files={files}
            isOnDisk={isOnDisk}
            isReady={isReady}
            isFolded={isLong}
            openDiff={() => model.post({ type: "openDiff", approvalId: id, path: file.path })}
            decide={hunkCount > 1 ? (part, decision) => model.decide(id, decision, part) : undefined}
            resolve={(hunkId, decision) =>
              model.decide(id, decision, { hunkId, ...(decision === "accepted" && { isOver: true }) })
            }
            post={model.post}
          />
        ))}
      </div>
      {/* Above the buttons, which stay under the pointer: a second click must not grant what was not read. */}
      {isMenuOpen.value && (
        <ScopeMenu
          approval={approval}
          isReady={isReady}
          editIds={waitingEdits}
          choose={allow}
          decideEdits={decideEdits}
          close={closeMenu}
        />
      )}
      <AnswerButtons
        kind={request?.kind ?? "edit"}
        isOnDisk={isOnDisk}
        isReady={isReady}
        hasAccept={!isConflicted}
        canAccept={edited?.trim() !== ""}
        hasMenu={hasMenu && !isConflicted}
        isMenuOpen={isMenuOpen}
        reason={reason}
        decide={decide}
      />
    </div>
  );
}

const oneWants = {
  command: t("{0} wants to run", inset),
  fetch: t("{0} wants to fetch", inset),
  read: t("{0} wants to read", inset),
  mcp: t("{0} wants to call", inset),
  foreign: t("{0} asks", inset),
  hook: t("A hook asks in {0}", inset),
};

const severalWant = {
  command: t("{0} want to run", inset),
  fetch: t("{0} want to fetch", inset),
  read: t("{0} want to read", inset),
  mcp: t("{0} want to call", inset),
  foreign: t("{0} ask", inset),
  hook: t("A hook asks in {0}", inset),
};

function requestText({ agentId, others, request, files }: Approval, hasAsker: boolean): string {
  // At the first message of a chat no agent is there yet.
  if (request?.kind === "hook" && !hasAsker) return t("A hook asks");
  const isPlural = others !== undefined || agentId === userAgentId;
  if (request !== undefined) return (isPlural ? severalWant : oneWants)[request.kind];
  if (files.length === 1) return isPlural ? t("{0} propose an edit", inset) : t("{0} proposes an edit", inset);
  return isPlural ? t("{0} propose {1} files", inset, files.length) : t("{0} proposes {1} files", inset, files.length);
}

/** What comes of several files: their lines, and what is more than a change of lines. */
function FileTotals({ files }: { files: readonly ApprovalFile[] }) {
  const hunks = files.flatMap((file) => file.hunks);
  const count = (is: (file: ApprovalFile) => boolean) => files.filter(is).length;
  const added = count(({ change }) => change === "add");
  const moved = count(({ movedTo }) => movedTo !== undefined);
  const deleted = count(({ change, movedTo }) => change === "delete" && movedTo === undefined);
  const kinds = [
    added > 0 ? t("{0} new", added) : "",
    moved > 0 ? t("{0} moved", moved) : "",
    deleted > 0 ? t("{0} deleted", deleted) : "",
  ].filter((text) => text !== "");
  return (
    <>
      {" "}
      <LineCounts added={linesAdded(hunks)} removed={linesRemoved(hunks)} />
      {kinds.length > 0 && `, ${kinds.join(", ")}`}
    </>
  );
}

function approvalName({ toolName, files, request }: Approval): string {
  if (request !== undefined) return t("Approval: {0} {1}", visible(toolName), visible(request.text));
  const [first, ...others] = files;
  const path = visible(first?.path ?? "");
  return others.length === 0
    ? t("Approval: {0} {1}", visible(toolName), path).trim()
    : t("Approval: {0} {1} and {2} more", visible(toolName), path, others.length);
}

/** The approvals that wait, one at a time, whatever transcript is shown. */
export function Approvals({ model }: { model: ApprovalsModel }) {
  const approvals = model.pending.value;
  const approval = model.shown.value;
  // Where the panel is low, the card and the agents need the room.
  const areEditsListed = useSignal(globalThis.innerHeight >= 960);
  if (approval === undefined) return null;

  const edits = approvals.filter(({ request }) => request === undefined);
  const editIds = edits.map(({ id }) => id);

  return (
    <section class="approvals" aria-label={t("Approvals")}>
      {/* Another approval is another card: a click that began on one never ends on the next. */}
      <ApprovalCard key={approval.id} approval={approval} editIds={editIds} model={model} />
      {approvals.length > 1 && (
        <div class="pager">
          <span>{t("{0} of {1} pending", model.index.value + 1, approvals.length)}</span>
          <IconButton icon="chevron-left" label={t("Previous approval")} onClick={() => model.turn(-1)} />
          <IconButton icon="chevron-right" label={t("Next approval")} onClick={() => model.turn(1)} />
        </div>
      )}
      {edits.length > 1 && (
        <WaitingEdits key={edits.map(({ id }) => id).join(" ")} edits={edits} model={model} isOpen={areEditsListed} />
      )}
    </section>
  );
}

/** What a card shows of an edit that the end of the editor cut off. */
function InterruptedNote({ files }: { files: readonly ApprovalFile[] }) {
  const hunks = files.flatMap((file) => file.hunks);
  const written = hunks.filter((hunk) => hunk.onDisk === "undecided").length;
  return <p class="approval-interrupted">{noteText(written, hunks.length)}</p>;
}

function noteText(written: number, all: number): string {
  if (written === 0) return t("The editor was closed or reloaded. This edit still waits for you.");
  if (written === all) return t("The editor was closed or reloaded. This edit is on disk.");
  return t("The editor was closed or reloaded. {0} of {1} hunks are on disk.", written, all);
}
