import { t } from "@vscode/l10n";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import type { GrantScope } from "../../../protocol/grants.ts";
import type { Approval } from "../../../protocol/hostEvents.ts";
import { grantedKind, scopeText } from "../../text/approvalTexts.ts";
import { menuStep } from "./approvals.ts";

export interface ScopeMenuProps {
  approval: Approval;
  /** Whether the card takes an answer now. */
  isReady: boolean;
  /** Of all edits that wait; where there are several, they can be answered together. */
  editIds: readonly string[];
  choose(scope: GrantScope): void;
  decideEdits(decision: "accepted" | "rejected", approvalIds: readonly string[]): void;
  close(): void;
}

/** Answers that hold for more than this once, or for more than this edit. It is in the card, so that it covers nothing. */
export function ScopeMenu({ approval, isReady, editIds, choose, decideEdits, close }: ScopeMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const headId = useId();
  const { scopes = [] } = approval;
  // While the menu is open no entry comes or goes: another would be under the pointer.
  const answersSeveral = useRef(editIds.length > 1).current;
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
  useLayoutEffect(() => {
    // All of it is in view where there is room for all, and else its first entries.
    items().at(-1)?.scrollIntoView({ block: "nearest" });
    items()[0]?.focus();
  }, []);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = items();
    const active = document.activeElement;
    const focused = active instanceof HTMLElement ? all.indexOf(active) : -1;
    const step = menuStep(event.key, focused, all.length);
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (step === "close") close();
    else all[step]?.focus();
  }

  const name = scopes.length > 0 ? { "aria-labelledby": headId } : { "aria-label": t("More answers") };

  return (
    <div class="scope-menu" role="menu" {...name} ref={menu} onKeyDown={onKeyDown}>
      {scopes.length > 0 && (
        <p class="hint" id={headId}>
          {grantedKind(approval)}
        </p>
      )}
      {scopes.map((offer) => (
        <button
          key={offer.scope}
          type="button"
          role="menuitem"
          tabIndex={-1}
          aria-disabled={!isReady || undefined}
          title={t("Accept and don't ask again")}
          onPointerMove={(event) => event.currentTarget.focus()}
          onClick={(event) => {
            // The second click of a double one was meant for the button that opened the menu.
            if (event.detail < 2) choose(offer.scope);
          }}
        >
          {scopeText(offer, approval)}
        </button>
      ))}
      {answersSeveral && scopes.length > 0 && <hr />}
      {answersSeveral && <SeveralEdits isReady={isReady} editIds={editIds} decide={decideEdits} />}
    </div>
  );
}

interface SeveralEditsProps {
  isReady: boolean;
  editIds: readonly string[];
  decide(decision: "accepted" | "rejected", approvalIds: readonly string[]): void;
}

/** Entries of a menu that answer all edits that wait now, and allow nothing for later. */
function SeveralEdits({ isReady, editIds, decide }: SeveralEditsProps) {
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
      aria-disabled={!isReady || undefined}
      onPointerMove={(event) => event.currentTarget.focus()}
      onPointerDown={() => {
        pressed.current = ids;
      }}
      onClick={(event) => {
        // An edit that came between press and release is not among those that were counted. A key has no press.
        if (event.detail < 2) decide(decision, event.detail === 0 ? ids : pressed.current);
      }}
    >
      {decision === "accepted" ? t("Accept all {0} edits", ids.length) : t("Reject all {0} edits", ids.length)}
    </button>
  ));
}
