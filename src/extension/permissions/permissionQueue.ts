import type { Approval, HostEvent } from "../../protocol/hostEvents.ts";
import type { AskPermission, PermissionAnswer, PermissionRequest } from "./permission.ts";
import { requestDetail, requestText } from "./requestText.ts";

/** Where questions are shown. */
export interface AskedChat {
  readonly id: string;
  emit(event: HostEvent): void;
}

export interface PermissionQueueOptions {
  newId(): string;
  /** Names from the root agent down. */
  agentPath(agentId: string): readonly string[];
}

interface Waiting {
  request: PermissionRequest;
  settle(answer: PermissionAnswer): void;
}

/** A question that is shown, with all who wait for its answer; the first of them stands on the card. */
interface Question {
  id: string;
  key: string;
  chat: AskedChat;
  waiting: Waiting[];
}

/** Questions that only a person answers. The same one asked by siblings at once is one question. */
export class PermissionQueue {
  readonly #options: PermissionQueueOptions;
  readonly #questions = new Map<string, Question>();

  constructor(options: PermissionQueueOptions) {
    this.#options = options;
  }

  /** Questions that go to one chat's log. */
  askFor(chat: AskedChat): AskPermission {
    return (request, signal) => this.#ask(request, signal, chat);
  }

  has(approvalId: string): boolean {
    return this.#questions.has(approvalId);
  }

  /** An answer to a question that is not open any more changes nothing. */
  decide(approvalId: string, decision: "accepted" | "rejected", reason?: string): void {
    const question = this.#questions.get(approvalId);
    if (question === undefined) return;
    const answer: PermissionAnswer =
      decision === "accepted" ? { allowed: true } : { allowed: false, ...(reason === undefined ? {} : { reason }) };
    this.#questions.delete(approvalId);
    question.chat.emit({ type: "approval_closed", approvalId, outcome: decision });
    for (const { settle } of question.waiting) settle(answer);
  }

  #ask(request: PermissionRequest, signal: AbortSignal, chat: AskedChat): Promise<PermissionAnswer> {
    if (signal.aborted) return Promise.resolve({ allowed: false });
    const { promise, resolve } = Promise.withResolvers<PermissionAnswer>();
    const key = keyOf(request);
    const same = [...this.#questions.values()].find((open) => open.key === key && open.chat.id === chat.id);
    const question = same ?? { id: this.#options.newId(), key, chat, waiting: [] };
    const withdraw = () => this.#withdraw(question, waiting);
    const waiting: Waiting = {
      request,
      settle(answer) {
        signal.removeEventListener("abort", withdraw);
        resolve(answer);
      },
    };
    signal.addEventListener("abort", withdraw, { once: true });
    question.waiting.push(waiting);
    this.#questions.set(question.id, question);
    this.#show(question);
    return promise;
  }

  #withdraw(question: Question, waiting: Waiting): void {
    waiting.settle({ allowed: false });
    question.waiting = question.waiting.filter((other) => other !== waiting);
    if (question.waiting.length > 0) {
      this.#show(question);
      return;
    }
    this.#questions.delete(question.id);
    question.chat.emit({ type: "approval_closed", approvalId: question.id, outcome: "canceled" });
  }

  /** Shown again, a question takes the place it had. */
  #show(question: Question): void {
    const requests = question.waiting.map(({ request }) => request);
    const [first, ...others] = requests;
    if (first === undefined) return;
    const paths = others.map(({ agent }) => this.#options.agentPath(agent.id).join(" › "));
    const approval: Approval = {
      id: question.id,
      agentId: first.agent.id,
      agentPath: [...this.#options.agentPath(first.agent.id)],
      callId: first.callId,
      toolName: first.toolName,
      files: [],
      request: { kind: first.kind, text: requestText(first), detail: requestDetail(first, paths) },
    };
    question.chat.emit({ type: "approval_requested", approval });
  }
}

/** Equal for what one answer may hold for: the same thing, wanted by one agent or by those with one parent. */
function keyOf(request: PermissionRequest): string {
  const { agent, toolName, kind } = request;
  const family = agent.parentId === undefined ? ["agent", agent.id] : ["children of", agent.parentId];
  const wanted =
    kind === "command"
      ? [request.command, request.cwd, request.background ?? false]
      : [request.url, request.isPrivate, ...request.concerns];
  return JSON.stringify([...family, toolName, kind, ...wanted]);
}
