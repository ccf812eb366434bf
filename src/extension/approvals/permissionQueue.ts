import { assertNever } from "../../agent/vocabulary/errors.ts";
import type { GrantScope } from "../../protocol/grants.ts";
import type { Approval, ApprovalAsker, HostEvent } from "../../protocol/hostEvents.ts";
import type { ChatGrants } from "./chatGrants.ts";
import { offersFor } from "./grants.ts";
import type { AskPermission, PermissionAnswer, PermissionRequest } from "./permission.ts";
import { requestDetail, requestText } from "./requestText.ts";

/** Where questions are shown. */
export interface AskedChat {
  readonly id: string;
  /** What needs no question any more. */
  readonly grants: ChatGrants;
  emit(event: HostEvent): void;
}

export interface PermissionQueueOptions {
  newId(): string;
  /** Names from the root agent down. */
  agentPath(agentId: string): readonly string[];
  /** Ids from the root agent down. */
  lineage(agentId: string): readonly string[];
}

/** What the user added to an answer. */
export interface AnswerDetails {
  /** Of a rejection: the user's words. */
  reason?: string;
  /** Of an acceptance: what else is allowed by it. */
  scope?: GrantScope;
}

interface Waiting {
  request: PermissionRequest;
  settle(answer: PermissionAnswer): void;
}

/** A question that is shown, with all who wait for its answer. */
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
  decide(approvalId: string, decision: "accepted" | "rejected", { reason, scope }: AnswerDetails = {}): void {
    const question = this.#questions.get(approvalId);
    if (question === undefined) return;
    if (decision === "rejected") {
      this.#close(question, { allowed: false, ...(reason === undefined ? {} : { reason }) });
      return;
    }
    if (scope !== undefined) {
      const asks = question.waiting.map(({ request }) => ({
        ...{ wish: request, agentPath: this.#options.agentPath(request.agent.id) },
      }));
      question.chat.grants.add(asks, scope);
    }
    this.#close(question, { allowed: true });
    for (const other of [...this.#questions.values()]) {
      if (other.chat.id === question.chat.id && this.#isGranted(other)) this.#close(other, { allowed: true });
    }
  }

  #ask(request: PermissionRequest, signal: AbortSignal, chat: AskedChat): Promise<PermissionAnswer> {
    if (signal.aborted) return Promise.resolve({ allowed: false });
    const isGranted = chat.grants.letThrough(request.callId, request, this.#options.lineage(request.agent.id));
    if (isGranted) return Promise.resolve({ allowed: true });
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

  #close(question: Question, answer: PermissionAnswer): void {
    this.#questions.delete(question.id);
    const outcome = answer.allowed ? "accepted" : "rejected";
    question.chat.emit({ type: "approval_closed", approvalId: question.id, outcome });
    for (const { settle } of question.waiting) settle(answer);
  }

  /** All who wait for it may now do without. */
  #isGranted({ chat, waiting }: Question): boolean {
    return waiting.every(({ request }) => chat.grants.covers(request, this.#options.lineage(request.agent.id)));
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
    const scopes = offersFor(first);
    const approval: Approval = {
      id: question.id,
      ...this.#asker(first),
      ...(others.length > 0 && { others: others.map((other) => this.#asker(other)) }),
      toolName: first.toolName,
      files: [],
      request: { kind: first.kind, text: requestText(first), detail: requestDetail(first) },
      ...(scopes.length > 0 && { scopes }),
    };
    question.chat.emit({ type: "approval_requested", approval });
  }

  #asker({ agent, callId }: PermissionRequest): ApprovalAsker {
    return { agentId: agent.id, agentPath: [...this.#options.agentPath(agent.id)], callId };
  }
}

/** Equal for what one answer may hold for: the same thing, wanted by one agent or by those with one parent. */
function keyOf(request: PermissionRequest): string {
  const { agent, toolName, kind } = request;
  const family = agent.parentId === undefined ? ["agent", agent.id] : ["children of", agent.parentId];
  return JSON.stringify([...family, toolName, kind, ...wantedBy(request)]);
}

function wantedBy(request: PermissionRequest): unknown[] {
  switch (request.kind) {
    case "command":
      return [request.command, request.cwd, request.background ?? false];
    case "fetch":
      return [request.url, request.isPrivate, ...request.concerns];
    case "read":
      return [request.path, request.leadsTo];
    default:
      return assertNever(request);
  }
}
