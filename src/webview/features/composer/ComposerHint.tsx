import { t } from "@vscode/l10n";
import type { Store } from "../../shell/store.ts";
import { visible } from "../../text/visible.ts";
import { Icon } from "../../ui/Icon.tsx";

/** One sentence about what can't go with the message, as soon as that is known. */
export function ComposerHint({ store }: { store: Store }) {
  const words = store.attaching.problem.value ?? blindModel(store);
  if (words === undefined) return null;
  return (
    <p class="composer-hint" role="status">
      <Icon name="warning" />
      <span>{words}</span>
    </p>
  );
}

function blindModel({ status, composer }: Store): string | undefined {
  const model = status.value?.model;
  if (model?.images !== false || !composer.attachments.value.some(({ kind }) => kind === "image")) return undefined;
  return t("{0} can't be shown pictures: remove them, or choose another model.", visible(model.label));
}
