import { assertNever } from "../../agent/vocabulary/errors.ts";
import type { GrantScope } from "../../protocol/grants.ts";
import type { Approval, ApprovalAsker, HostEvent } from "../../protocol/hostEvents.ts";
import type { ChatGrants } from "./chatGrants.ts";
import { offersFor } from "./grants.ts";
import { PendingDecisions, type QueuedDecision } from "./pendingDecisions.ts";
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

interface Asked {
  request: PermissionRequest;
  chat: AskedChat;
}

/** Questions that only a person answers. The same one asked by siblings at once is one question. */
export class PermissionQueue {
  readonly #options: PermissionQueueOptions;
  readonly #pending: PendingDecisions<Asked, PermissionAnswer>;

  constructor(options: PermissionQueueOptions) {
    this.#options = options;
    this.#pending = new PendingDecisions({
      newId: options.newId,
      show: (decision) => this.#show(decision),
      close: ({ id, requests: [first] }, answer) => {
        const outcome = answer === undefined ? "canceled" : answer.allowed ? "accepted" : "rejected";
        first?.chat.emit({ type: "approval_closed", approvalId: id, outcome });
      },
    });
  }

  /** Questions that go to one chat's log. */
  askFor(chat: AskedChat): AskPermission {
    return (request, signal) => this.#ask({ request, chat }, signal);
  }

  has(approvalId: string): boolean {
    return this.#pending.find(approvalId) !== undefined;
  }

  /** An answer to a question that is not open any more changes nothing. */
  decide(approvalId: string, decision: "accepted" | "rejected", { reason, scope }: AnswerDetails = {}): void {
    const question = this.#pending.find(approvalId);
    const chat = question?.requests[0]?.chat;
    if (question === undefined || chat === undefined) return;
    if (decision === "rejected") {
      this.#pending.answer(approvalId, { allowed: false, ...(reason === undefined ? {} : { reason }) });
      return;
    }
    if (scope !== undefined) {
      const asks = question.requests.map(({ request }) => ({
        ...{ request, agentPath: this.#options.agentPath(request.agent.id) },
      }));
      chat.grants.add(asks, scope);
    }
    this.#pending.answer(approvalId, { allowed: true });
    for (const other of this.#pending.all) {
      if (other.scope === chat.id && this.#isGranted(other)) this.#pending.answer(other.id, { allowed: true });
    }
  }

  async #ask(asked: Asked, signal: AbortSignal): Promise<PermissionAnswer> {
    const { request, chat } = asked;
    if (signal.aborted) return { allowed: false };
    const isGranted = chat.grants.letThrough(request.callId, request, this.#options.lineage(request.agent.id));
    if (isGranted) return { allowed: true };
    try {
      return await this.#pending.wait(asked, signal, { scope: chat.id, key: keyOf(request) });
    } catch (error) {
      if (signal.aborted) return { allowed: false };
      throw error;
    }
  }

  /** All who wait for it may now do without. */
  #isGranted({ requests }: QueuedDecision<Asked>): boolean {
    return requests.every(({ request, chat }) => chat.grants.covers(request, this.#options.lineage(request.agent.id)));
  }

  #show({ id, requests }: QueuedDecision<Asked>): void {
    const [first, ...others] = requests;
    if (first === undefined) return;
    const { request, chat } = first;
    const scopes = offersFor(request);
    const approval: Approval = {
      id,
      ...this.#asker(request),
      ...(others.length > 0 && { others: others.map((other) => this.#asker(other.request)) }),
      toolName: request.toolName,
      files: [],
      request: { kind: request.kind, text: requestText(request), detail: requestDetail(request) },
      ...(scopes.length > 0 && { scopes }),
    };
    chat.emit({ type: "approval_requested", approval });
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
      return [request.command, request.cwd, request.background ?? false, request.sandbox];
    case "fetch":
      return [request.url, request.isPrivate, ...request.concerns];
    case "read":
      return [request.path, request.leadsTo];
    default:
      return assertNever(request);
  }
}
