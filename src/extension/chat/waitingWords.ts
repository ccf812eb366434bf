/** What waits for the user, for the view's badge: like "1 request needs your approval, 2 questions need your answer". */
export function waitingWords(approvals: number, questions: number): { count: number; text: string } {
  const parts = [
    ...(approvals === 0
      ? []
      : [approvals === 1 ? "1 request needs your approval" : `${approvals} requests need your approval`]),
    ...(questions === 0
      ? []
      : [questions === 1 ? "1 question needs your answer" : `${questions} questions need your answer`]),
  ];
  return { count: approvals + questions, text: parts.join(", ") };
}
