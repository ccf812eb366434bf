import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { RewindTarget } from "../../../protocol/hostEvents.ts";
import type { Store } from "../../shell/store.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { IconButton } from "../../ui/IconButton.tsx";

const rewound: Readonly<Record<RewindTarget, string>> = {
  files: t("Files were rewound."),
  conversation: t("The conversation was rewound."),
  both: t("Files and conversation were rewound."),
};

/** The latest rewind, as long as it can be undone. */
export function RewindNote({ store }: { store: Store }) {
  const rewind = store.hostState.value.undoableRewind;
  const hidden = useSignal<string | undefined>(undefined);
  if (rewind === undefined || (rewind.id !== undefined && rewind.id === hidden.value)) return null;
  return (
    <div class="rewind-note" role="note" aria-label={t("Rewind")}>
      <Icon name="discard" />
      <span>{rewound[rewind.what]}</span>
      <Button onClick={() => store.post({ type: "undoRewind" })}>{t("Undo rewind")}</Button>
      <IconButton
        icon="close"
        label={t("Hide")}
        onClick={() => {
          hidden.value = rewind.id;
        }}
      />
    </div>
  );
}
