import { t } from "@vscode/l10n";

/** What Arbor's own commands ask a model for, in the user's language. */
export const requests = {
  explainCode: () => t("Explain this code."),
  explainFile: () => t("Explain this file."),
  explainWhy: () => t("Explain this code: what it does, how, and why it is written this way."),
  fixCode: () => t("Fix this code."),
  fixShownProblems: () => t("Fix the problems that the editor shows."),
  fixFile: (path: string) => t("Fix the problems in {0}.", path),
  fixProblem: (path: string) => t("Fix this problem in {0}:", path),
  fixProblems: (path: string) => t("Fix these problems in {0}:", path),
};
