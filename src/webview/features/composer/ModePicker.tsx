import { t } from "@vscode/l10n";
import { type PermissionMode, permissionModes } from "../../../protocol/modes.ts";
import type { Store } from "../../shell/store.ts";
import { Dropdown } from "../../ui/Dropdown.tsx";

/** What agents may do unasked. */
export function ModePicker({ store }: { store: Store }) {
  const mode = store.status.value?.mode;
  if (mode === undefined) return null;
  const labels: Readonly<Record<PermissionMode, string>> = {
    plan: t("Plan"),
    ask: t("Ask"),
    "auto-edit": t("Auto-edit"),
  };
  const hints: Readonly<Record<PermissionMode, string>> = {
    plan: t("Mode: plan. Agents only read and search."),
    ask: t("Mode: ask. Agents ask before they act."),
    "auto-edit": t("Mode: auto-edit. Files are edited at once; commands are asked for."),
  };
  return (
    <Dropdown
      label={t("Mode")}
      icon={icons[mode]}
      class="collapses"
      title={hints[mode]}
      value={mode}
      options={permissionModes.map((value) => ({ value, label: labels[value] }))}
      onChange={(value) => {
        const chosen = permissionModes.find((known) => known === value);
        if (chosen !== undefined && chosen !== mode) store.post({ type: "setMode", mode: chosen });
      }}
    />
  );
}

const icons: Readonly<Record<PermissionMode, string>> = { plan: "checklist", ask: "shield", "auto-edit": "edit" };
