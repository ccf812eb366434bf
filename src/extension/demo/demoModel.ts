import { t } from "@vscode/l10n";
import type { Model } from "../../agent/vocabulary/model.ts";

/** The offline demo. Its window is small so that one sees the gauge move. */
export const demoModel: Model = {
  id: "demo",
  provider: "demo",
  // The user's language is known only when the extension has begun.
  get name() {
    return t("Demo model: rules, not a language model");
  },
  contextWindow: 32_000,
};
