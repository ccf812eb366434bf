import { t } from "@vscode/l10n";
import { useRef } from "preact/hooks";

export interface SeveralEditsProps {
  editIds: readonly string[];
  decide(decision: "accepted" | "rejected", approvalIds: readonly string[]): void;
}

/** Entries of a menu that answer all edits that wait now, and allow nothing for later. */
export function SeveralEdits({ editIds, decide }: SeveralEditsProps) {
  // With one left the entries stay as they are: they leave with the menu.
  const several = useRef(editIds);
  if (editIds.length > 1) several.current = editIds;
  const pressed = useRef(editIds);
  const ids = several.current;

  return (["accepted", "rejected"] as const).map((decision) => (
    <button
      key={decision}
      type="button"
      role="menuitem"
      tabIndex={-1}
      onPointerMove={(event) => event.currentTarget.focus()}
      onPointerDown={() => {
        pressed.current = ids;
      }}
      onClick={(event) => {
        // An edit that came between press and release is not among those that were counted. A key has no press.
        if (event.detail < 2) decide(decision, event.detail === 0 ? ids : pressed.current);
      }}
    >
      {decision === "accepted"
        ? t("Accept all {0} edits that wait", ids.length)
        : t("Reject all {0} edits that wait", ids.length)}
    </button>
  ));
}
