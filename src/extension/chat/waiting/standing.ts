import type { HostEvent } from "../../../protocol/hostEvents.ts";

/** How a chat stands: what waits for the user in it, and which agents the end of the editor cut off. */
export class Standing {
  readonly #approvals = new Set<string>();
  readonly #questions = new Set<string>();
  #interrupted: readonly string[];

  constructor(interrupted: readonly string[] = []) {
    this.#interrupted = interrupted;
  }

  get approvals(): number {
    return this.#approvals.size;
  }

  get questions(): number {
    return this.#questions.size;
  }

  get interrupted(): readonly string[] {
    return this.#interrupted;
  }

  /** True when the event changed how the chat stands. */
  observe(event: HostEvent): boolean {
    switch (event.type) {
      case "approval_requested":
        this.#approvals.add(event.approval.id);
        return true;
      case "approval_closed":
        this.#approvals.delete(event.approvalId);
        return true;
      case "question_asked":
      case "budget_asked":
        this.#questions.add(event.question.id);
        return true;
      case "question_answered":
      case "budget_answered":
        this.#questions.delete(event.questionId);
        return true;
      case "interrupted":
        this.#interrupted = event.agentIds;
        return true;
      default:
        return false;
    }
  }
}
