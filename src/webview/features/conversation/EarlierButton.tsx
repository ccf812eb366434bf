import { t } from "@vscode/l10n";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Store } from "../../shell/store.ts";
import { Button } from "../../ui/Button.tsx";

export interface EarlierButtonProps {
  /** What is scrolled: what the reader sees stays where it is when messages come above it. */
  scroller: RefObject<HTMLElement | null>;
  store: Store;
}

/** Brings the older part of a long chat. */
export function EarlierButton({ scroller, store }: EarlierButtonProps) {
  const fromEnd = useRef<number | undefined>(undefined);
  const { rows } = store.transcript.value;
  const first = rows[0]?.key;

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element !== null && fromEnd.current !== undefined) element.scrollTop = element.scrollHeight - fromEnd.current;
    fromEnd.current = undefined;
  }, [first]);

  return (
    <div class="history-more">
      <Button
        onClick={() => {
          const element = scroller.current;
          if (element !== null) fromEnd.current = element.scrollHeight - element.scrollTop;
          store.post({ type: "showEarlier" });
        }}
      >
        {t("Show earlier messages")}
      </Button>
    </div>
  );
}
