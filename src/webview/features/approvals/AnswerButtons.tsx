import type { Signal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { ApprovalRequest } from "../../../protocol/hostEvents.ts";
import { Button, IconButton } from "../../ui/Buttons.tsx";
import { TextField } from "../../ui/TextFields.tsx";
import type { Decision } from "./approvals.ts";

interface AnswerTexts {
  accept: string;
  acceptTitle: string;
  reject: string;
  rejectTitle: string;
}

const keep: AnswerTexts = {
  accept: t("Keep"),
  acceptTitle: t("Keep (Ctrl+Enter)"),
  reject: t("Undo"),
  rejectTitle: t("Undo (Ctrl+Backspace)"),
};
const reject = { reject: t("Reject"), rejectTitle: t("Reject (Ctrl+Backspace)") };
const allow = { accept: t("Allow"), acceptTitle: t("Allow (Ctrl+Enter)"), ...reject };
const answers: Readonly<Record<ApprovalRequest["kind"] | "edit", AnswerTexts>> = {
  edit: { accept: t("Accept"), acceptTitle: t("Accept (Ctrl+Enter)"), ...reject },
  command: { accept: t("Run"), acceptTitle: t("Run (Ctrl+Enter)"), ...reject },
  fetch: { accept: t("Fetch"), acceptTitle: t("Fetch (Ctrl+Enter)"), ...reject },
  read: allow,
  mcp: allow,
  foreign: allow,
  hook: allow,
};

interface AnswerButtonsProps {
  kind: ApprovalRequest["kind"] | "edit";
  isOnDisk: boolean;
  /** It has been in view for a moment, and is not answered yet. */
  isReady: boolean;
  /** Where all that waits is in conflict, its hunks say over what they would be accepted. */
  hasAccept: boolean;
  /** There is something to accept. */
  canAccept: boolean;
  hasMenu: boolean;
  isMenuOpen: Signal<boolean>;
  /** What is typed beside the buttons. */
  reason: Signal<string>;
  decide(decision: Decision): void;
}

/** The buttons of a card, and why it is rejected. */
export function AnswerButtons(props: AnswerButtonsProps) {
  const { kind, isOnDisk, isReady, hasAccept, canAccept, hasMenu, isMenuOpen, reason, decide } = props;
  const texts = isOnDisk ? keep : answers[kind];

  function onReasonKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    // In this field every key belongs to the text that is typed; what is sent from here is a rejection.
    event.stopPropagation();
    if (event.key !== "Enter" || reason.peek().trim() === "") return;
    event.preventDefault();
    decide("rejected");
  }

  return (
    <div class="approval-answer">
      {hasAccept && (
        <Button
          appearance="primary"
          title={texts.acceptTitle}
          isUnavailable={!isReady || !canAccept}
          onClick={() => decide("accepted")}
        >
          {texts.accept}
        </Button>
      )}
      <Button title={texts.rejectTitle} isUnavailable={!isReady} onClick={() => decide("rejected")}>
        {texts.reject}
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
          label={t("Reject with feedback…")}
          value={reason.value}
          onInput={(value) => {
            reason.value = value;
          }}
          onKeyDown={onReasonKeyDown}
        />
      )}
    </div>
  );
}
