import type { Store } from "../../shell/store.ts";
import { allowedWords } from "../../text/grantWords.ts";
import { visible } from "../../text/visible.ts";
import { Icon } from "../../ui/Icon.tsx";

/** Below a tool's card: what let the call through unasked. */
export function AllowedNote({ callId, store }: { callId: string; store: Store }) {
  const { allowedCalls } = store;
  const grant = Object.hasOwn(allowedCalls.value, callId) ? allowedCalls.value[callId] : undefined;
  if (grant === undefined) return null;
  return (
    <p class="allowed-note" title={visible(grant.text)}>
      <Icon name="pass" />
      <span>{allowedWords(grant)}</span>
    </p>
  );
}
