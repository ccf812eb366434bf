import { assertNever } from "../../agent/vocabulary/errors.ts";
import type { GrantScope } from "../../protocol/grants.ts";
import type { Approval, ApprovalAsker, HostEvent } from "../../protocol/hostEvents.ts";
import type { ChatGrants } from "./chatGrants.ts";
import { type EditRequest, offersFor } from "./grants.ts";
import { PendingDecisions, type QueuedDecision } from "./pendingDecisions.ts";
import type { AskPermission, PermissionAnswer, PermissionRequest } from "./permission.ts";
import type { Ruling } from "./permissionRules.ts";
import { requestDetail, requestText, visibleText } from "./requestText.ts";

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
  /** What the settings say. Default: nothing. */
  rules?: PermissionRulesAccess;
}

/** The rules of the settings, as they are when they are asked. */
export interface PermissionRulesAccess {
  judge(request: PermissionRequest | EditRequest): Promise<Ruling | undefined>;
  /** Rules that would allow exactly this in every chat; none where no rule could. */
  offer(request: PermissionRequest): Promise<readonly string[]>;
  /** Adds them to the user's settings. Never rejects: a failure is shown to the user. */
  add(rules: readonly string[]): Promise<void>;
}

/** What the user added to an answer. */
export interface AnswerDetails {
  /** Of a rejection: the user's words. */
  reason?: string;
  /** Of an acceptance: what else is allowed by it. */
  scope?: GrantScope;
}

interface Question {
  request: PermissionRequest;
  chat: AskedChat;
  mayRun(request: PermissionRequest): boolean;
}

interface Asked {
  request: PermissionRequest;
  chat: AskedChat;
  /** A rule asks for it, whatever the user allowed before. */
  isRuled?: boolean;
  /** What would allow it in every chat. */
  offeredRules?: readonly string[];
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

  /** Questions that go to one chat's log. What `mayRun` says yes to is asked only if a rule names it. */
  askFor(chat: AskedChat, mayRun: (request: PermissionRequest) => boolean = () => false): AskPermission {
    return (request, signal) => this.#ask({ request, chat, mayRun }, signal);
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
    if (scope === "rule") void this.#addRules(question);
    else if (scope !== undefined) {
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

  async #ask({ request, chat, mayRun }: Question, signal: AbortSignal): Promise<PermissionAnswer> {
    if (signal.aborted) return { allowed: false };
    const { rules, lineage } = this.#options;
    const ruling = rules === undefined ? undefined : await rules.judge(request);
    if (ruling?.verdict === "deny") return { allowed: false, reason: ruling.reason, isRule: true };
    if (ruling?.verdict === "allow") {
      const shown = {
        id: ruling.rule ?? "",
        kind: request.kind,
        scope: "rule",
        text: visibleText(ruling.rule ?? ""),
      } as const;
      chat.emit({ type: "call_allowed", callId: request.callId, grant: shown });
      return { allowed: true };
    }
    const isRuled = ruling?.rule !== undefined;
    if (!isRuled && mayRun(request)) return { allowed: true };
    const isGranted = !isRuled && chat.grants.letThrough(request.callId, request, lineage(request.agent.id));
    if (isGranted) return { allowed: true };
    const offered = isRuled || rules === undefined ? [] : await rules.offer(request);
    // What is shown is what is written: a rule with something hidden in it is not offered.
    const offeredRules = offered.every((rule) => rule === visibleText(rule) && !rule.includes("\n")) ? offered : [];
    if (signal.aborted) return { allowed: false };
    const asked: Asked = { request, chat, isRuled, offeredRules };
    try {
      return await this.#pending.wait(asked, signal, { scope: chat.id, key: keyOf(request) });
    } catch (error) {
      if (signal.aborted) return { allowed: false };
      throw error;
    }
  }

  /** All who wait for it may now do without. */
  #isGranted({ requests }: QueuedDecision<Asked>): boolean {
    return requests.every(
      ({ request, chat, isRuled }) => !isRuled && chat.grants.covers(request, this.#options.lineage(request.agent.id)),
    );
  }

  async #addRules({ requests }: QueuedDecision<Asked>): Promise<void> {
    const offered = requests[0]?.offeredRules ?? [];
    if (offered.length > 0) await this.#options.rules?.add(offered);
  }

  #show({ id, requests }: QueuedDecision<Asked>): void {
    const [first, ...others] = requests;
    if (first === undefined) return;
    const { request, chat, isRuled, offeredRules = [] } = first;
    const byRule = offeredRules.length > 0 ? [{ scope: "rule" as const, pattern: offeredRules.join(", ") }] : [];
    const scopes = isRuled ? [] : [...offersFor(request), ...byRule];
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
      return [request.command, request.folder, request.background ?? false, request.sandbox, request.version];
    case "fetch":
      return [request.url, request.isPrivate, ...request.concerns];
    case "read":
      return [request.path, request.leadsTo];
    case "mcp":
      return [request.purpose, request.server, request.tool, request.version, request.arguments];
    case "foreign":
      return [request.program, request.title, request.details];
    default:
      return assertNever(request);
  }
}
