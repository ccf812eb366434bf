import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { ShownGrant } from "../../../protocol/grants.ts";
import type { Store } from "../../shell/store.ts";
import { grantWords } from "../../text/grantWords.ts";
import { visible } from "../../text/visible.ts";
import { FoldHead } from "../../ui/FoldHead.tsx";
import { IconButton } from "../../ui/IconButton.tsx";

/** What the user allowed without being asked again, each of which can be withdrawn. */
export function Grants({ store }: { store: Store }) {
  const { grants } = store.hostState.value;
  const isOpen = useSignal(false);
  return (
    <section class="grants" aria-label={t("Allowed without asking")}>
      <FoldHead isOpen={isOpen}>
        <span>{t("Allowed without asking: {0}", grants.length)}</span>
      </FoldHead>
      {isOpen.value && (
        <ul>
          {grants.map((grant) => (
            <GrantLine key={grant.id} grant={grant} store={store} />
          ))}
        </ul>
      )}
    </section>
  );
}

function GrantLine({ grant, store }: { grant: ShownGrant; store: Store }) {
  const { what, whom } = grantWords(grant);
  return (
    <li title={visible(grant.text)}>
      <span class="grant-what">{what}</span>
      <span class="grant-whom">{whom}</span>
      <IconButton
        icon="close"
        label={t("Remove {0}", what)}
        title={t("Ask for this again")}
        onClick={() => store.post({ type: "removeGrant", grantId: grant.id })}
      />
    </li>
  );
}
