import { t } from "@vscode/l10n";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import type { GrantScope } from "../../protocol/grants.ts";
import type { Approval } from "../../protocol/hostEvents.ts";
import { menuStep } from "../state/menuKeys.ts";
import { grantedKind, scopeWords } from "../text/grantWords.ts";

export interface ScopeMenuProps {
  approval: Approval;
  choose(scope: GrantScope): void;
  close(): void;
}

/** Answers that hold for more than this once. It stands in the card, so that it covers nothing. */
export function ScopeMenu({ approval, choose, close }: ScopeMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const headId = useId();
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
  useLayoutEffect(() => items()[0]?.focus(), []);

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

  return (
    <div class="scope-menu" role="menu" aria-labelledby={headId} ref={menu} onKeyDown={onKeyDown}>
      <p class="hint" id={headId}>
        {grantedKind(approval)}
      </p>
      {(approval.scopes ?? []).map((offer) => (
        <button
          key={offer.scope}
          type="button"
          role="menuitem"
          tabIndex={-1}
          title={t("Accept, and don't ask for the like again")}
          onPointerMove={(event) => event.currentTarget.focus()}
          onClick={(event) => {
            // The second click of a double one was meant for the button that opened the menu.
            if (event.detail < 2) choose(offer.scope);
          }}
        >
          {scopeWords(offer, approval)}
        </button>
      ))}
    </div>
  );
}
