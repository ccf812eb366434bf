import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useRef } from "preact/hooks";
import type { GrantScope } from "../../../protocol/grants.ts";
import type { Approval } from "../../../protocol/hostEvents.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { userAgentId } from "../../../protocol/userAgent.ts";
import { askerPaths } from "../../text/askers.ts";
import { visible } from "../../text/visible.ts";
import { Around, place } from "../../ui/Around.tsx";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { IconButton } from "../../ui/IconButton.tsx";
import { lazily } from "../../ui/lazily.tsx";
import { TextField } from "../../ui/TextField.tsx";
import { ApprovalRequestView } from "./ApprovalRequestView.tsx";
import { approvalKey } from "./approvalKeys.ts";
import { FileChange } from "./FileChange.tsx";
import { ScopeMenu } from "./ScopeMenu.tsx";

const InterruptedNote = lazily(async () => (await import("../../shell/rare.ts")).InterruptedNote);

export interface ApprovalCardProps {
  approval: Approval;
  /** Of all edits that wait, this card's among them if it is one. */
  editIds: readonly string[];
  post(intent: Intent): void;
}

/** Something that waits for an answer: all who want it, what would change, and the buttons. */
export function ApprovalCard({ approval, editIds, post }: ApprovalCardProps) {
  const reason = useSignal("");
  const isMenuOpen = useSignal(false);
  const card = useRef<HTMLDivElement>(null);
  const { id, files, request, scopes = [], isInterrupted } = approval;
  /** All of it is written already: what is left is to keep or to undo it. */
  const hunks = files.flatMap((file) => file.hunks);
  // The user may also have taken every change out of the proposal: then nothing is written.
  const isOnDisk = hunks.length > 0 && hunks.every(({ decision }) => decision !== "pending");
  const waitingEdits = request === undefined ? editIds : [];
  const hasMenu = scopes.length > 0 || waitingEdits.length > 1 || isMenuOpen.value;
  const hunkCount = hunks.length;

  function answer(decision: "accepted" | "rejected"): Pick<Extract<Intent, { type: "decide" }>, "decision" | "reason"> {
    const words = reason.peek().trim();
    return { decision, ...(decision === "rejected" && words !== "" && { reason: words }) };
  }

  function decide(decision: "accepted" | "rejected"): void {
    post({ type: "decide", approvalId: id, ...answer(decision) });
  }

  function decideEdits(decision: "accepted" | "rejected", approvalIds: readonly string[]): void {
    post({ type: "decideEdits", approvalIds: [...approvalIds], ...answer(decision) });
    // What comes while these are written is not to be answered by a second click.
    closeMenu();
  }

  function allow(scope: GrantScope): void {
    post({ type: "decide", approvalId: id, decision: "accepted", scope });
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

  function onReasonKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    // In this field every key belongs to the words that are typed; what is sent from here is a rejection.
    event.stopPropagation();
    if (event.key !== "Enter" || reason.peek().trim() === "") return;
    event.preventDefault();
    decide("rejected");
  }

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
          <Around words={isOnDisk ? t("{0} changed", place) : wantWords(approval)}>
            <strong>{askerPaths(approval)}</strong>
          </Around>
        </span>
      </p>
      {isInterrupted === true && <InterruptedNote files={files} />}
      {request !== undefined && <ApprovalRequestView request={request} />}
      <div class="approval-files">
        {files.map((file) => (
          <FileChange
            key={file.path}
            approvalId={id}
            file={file}
            isOneOfSeveral={hunkCount > 1}
            isOnDisk={isOnDisk}
            post={post}
          />
        ))}
      </div>
      {/* Above the buttons, which stay under the pointer: a second click must not grant what nobody read. */}
      {isMenuOpen.value && (
        <ScopeMenu
          approval={approval}
          editIds={waitingEdits}
          choose={allow}
          decideEdits={decideEdits}
          close={closeMenu}
        />
      )}
      <div class="approval-answer">
        <Button
          appearance="primary"
          title={isOnDisk ? t("Keep (Ctrl+Enter)") : t("Accept (Ctrl+Enter)")}
          onClick={() => decide("accepted")}
        >
          {isOnDisk ? t("Keep") : t("Accept")}
        </Button>
        <Button
          title={isOnDisk ? t("Undo (Ctrl+Backspace)") : t("Reject (Ctrl+Backspace)")}
          onClick={() => decide("rejected")}
        >
          {isOnDisk ? t("Undo") : t("Reject")}
        </Button>
        {hasMenu && (
          <IconButton
            icon="chevron-down"
            label={t("More answers")}
            class="more-answers"
            isExpanded={isMenuOpen.value}
            onClick={() => {
              isMenuOpen.value = !isMenuOpen.peek();
            }}
          />
        )}
        {!isOnDisk && (
          <TextField
            label={t("Reject and say why…")}
            value={reason.value}
            onInput={(value) => {
              reason.value = value;
            }}
            onKeyDown={onReasonKeyDown}
          />
        )}
      </div>
    </div>
  );
}

const oneWants = {
  change: t("{0} wants to change", place),
  command: t("{0} wants to run", place),
  fetch: t("{0} wants to fetch", place),
  read: t("{0} wants to read", place),
};
const severalWant = {
  change: t("{0} want to change", place),
  command: t("{0} want to run", place),
  fetch: t("{0} want to fetch", place),
  read: t("{0} want to read", place),
};

function wantWords({ agentId, others, request }: Approval): string {
  const isPlural = others !== undefined || agentId === userAgentId;
  return (isPlural ? severalWant : oneWants)[request?.kind ?? "change"];
}

function approvalName({ toolName, files, request }: Approval): string {
  if (request !== undefined) return t("Approval: {0} {1}", visible(toolName), visible(request.text));
  const [first, ...others] = files;
  const path = visible(first?.path ?? "");
  return others.length === 0
    ? t("Approval: {0} {1}", visible(toolName), path).trim()
    : t("Approval: {0} {1} and {2} more", visible(toolName), path, others.length);
}
