import { t } from "@vscode/l10n";
import type { Store } from "../../shell/store.ts";
import { visible } from "../../text/visible.ts";
import { Dropdown } from "../../ui/Dropdown.tsx";

/** Stands for the editor's own picker, which also knows models that are not set up yet. */
const others = "\u0000others";

export function ModelPicker({ store }: { store: Store }) {
  const status = store.status.value;
  if (status === undefined) return null;
  const { model, models } = status;
  const known = models.some((choice) => choice.id === model.id) ? models : [model, ...models];
  const options = known.map((choice) => ({ value: choice.id, label: visible(choice.label) }));
  return (
    <Dropdown
      label={t("Model")}
      value={model.id}
      options={[...options, { value: others, label: t("Other model…"), isAction: true }]}
      onChange={(id) => {
        if (id === others) store.post({ type: "selectModel" });
        else if (id !== model.id) store.post({ type: "selectModel", model: id });
      }}
    />
  );
}
