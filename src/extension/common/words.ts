import { config } from "@vscode/l10n";
import { l10n } from "vscode";

// Imported first: modules that know nothing of the editor find the user's language here, too.
if (l10n.bundle !== undefined) config({ contents: l10n.bundle });
