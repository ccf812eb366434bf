import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import type { ShownGrant } from "../../../protocol/grants.ts";
import type { Intent } from "../../../protocol/messages.ts";
import { grantText } from "../../text/approvalTexts.ts";
import { visible } from "../../text/visible.ts";
import { IconButton } from "../../ui/Buttons.tsx";
import { FoldHead } from "../../ui/FoldHead.tsx";

/** What the user allowed without being asked again, each of which can be withdrawn. */
export function Grants({ grants, post }: { grants: readonly ShownGrant[]; post(intent: Intent): void }) {
  const isOpen = useSignal(false);
  return (
    <section class="grants" aria-label={t("Allowed without asking")}>
      <FoldHead isOpen={isOpen}>
        <span>{t("Allowed without asking: {0}", grants.length)}</span>
      </FoldHead>
      {isOpen.value && (
        <ul>
          {grants.map((grant) => (
            <GrantLine key={grant.id} grant={grant} post={post} />
          ))}
        </ul>
      )}
    </section>
  );
}

function GrantLine({ grant, post }: { grant: ShownGrant; post(intent: Intent): void }) {
  const { what, whom } = grantText(grant);
  return (
    <li title={visible(grant.text)}>
      <span class="grant-what">{what}</span>
      <span class="grant-whom">{whom}</span>
      <IconButton
        icon="close"
        label={t("Remove {0}", what)}
        title={t("Ask for this again")}
        onClick={() => post({ type: "removeGrant", grantId: grant.id })}
      />
    </li>
  );
}
