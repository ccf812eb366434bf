import type { RewindTarget } from "../../protocol/hostEvents.ts";
import type { Store } from "../store.ts";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";

const rewound: Readonly<Record<RewindTarget, string>> = {
  files: "Files were rewound.",
  conversation: "The conversation was rewound.",
  both: "Files and conversation were rewound.",
};

/** The latest rewind, as long as it can be undone. */
export function RewindNote({ store }: { store: Store }) {
  const rewind = store.hostState.value.undoableRewind;
  if (rewind === undefined) return null;
  return (
    <div class="rewind-note" role="note" aria-label="Rewind">
      <Icon name="discard" />
      <span>{rewound[rewind.what]}</span>
      <Button onClick={() => store.post({ type: "undoRewind" })}>Undo rewind</Button>
    </div>
  );
}
