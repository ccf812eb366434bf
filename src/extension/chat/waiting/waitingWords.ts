import { t } from "@vscode/l10n";

/** What waits for the user, for the view's badge: like "1 request needs your approval, 2 questions need your answer". */
export function waitingWords(approvals: number, questions: number): { count: number; text: string } {
  const parts = [
    ...(approvals === 0
      ? []
      : [approvals === 1 ? t("1 request needs your approval") : t("{0} requests need your approval", approvals)]),
    ...(questions === 0
      ? []
      : [questions === 1 ? t("1 question needs your answer") : t("{0} questions need your answer", questions)]),
  ];
  return { count: approvals + questions, text: parts.join(", ") };
}
