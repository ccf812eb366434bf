import { createHash } from "node:crypto";
import { assertNever } from "../../agent/vocabulary/errors.ts";
import type { GrantScope } from "../../protocol/grants.ts";
import {
  type Approval,
  type ApprovalAsker,
  type ApprovalRequest,
  askersOf,
  type HostEvent,
} from "../../protocol/hostEvents.ts";
import type { ChatGrants } from "./chatGrants.ts";
import { type EditRequest, offersFor } from "./grants.ts";
import type { LeftDecision, LeftDecisions } from "./leftDecisions.ts";
import { PendingDecisions, type QueuedDecision } from "./pendingDecisions.ts";
import type { AskPermission, PermissionAnswer, PermissionRequest } from "./permission.ts";
import type { Ruling } from "./permissionRules.ts";
import { mayEdit, requestDetail, requestText, visibleText, wantsToRun } from "./requestText.ts";

/** Where questions are shown. */
export interface AskedChat {
  readonly id: string;
  /** What needs no question any more. */
  readonly grants: ChatGrants;
  /** Questions that waited when the editor ended. */
  readonly left?: { readonly approvals: LeftDecisions<PermissionDecision> } | undefined;
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
  /** Of an acceptance: the command to run in place of the one that was asked for. Then nothing else is allowed by it. */
  command?: string;
}

/** The user's answer to an approval. */
export interface PermissionDecision extends AnswerDetails {
  decision: "accepted" | "rejected";
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
  decide(approvalId: string, decision: "accepted" | "rejected", details: AnswerDetails = {}): void {
    const requests = this.#pending.find(approvalId)?.requests ?? [];
    const chat = requests[0]?.chat;
    if (chat === undefined) return;
    const answer = { decision, ...details };
    // Others who waited for it before a reload may not have asked again yet.
    chat.left?.approvals.answer(approvalId, answer);
    this.#pending.answer(approvalId, this.#permissionBy(answer, requests));
    this.#answerGranted(chat);
  }

  /** What the answer comes to for those who wait, with what else it allows. */
  #permissionBy(
    { decision, reason, scope, command }: PermissionDecision,
    requests: readonly Asked[],
  ): PermissionAnswer {
    if (decision === "rejected") return { allowed: false, ...(reason === undefined ? {} : { reason }) };
    // Never what was asked for in place of what the user wrote.
    if (command !== undefined)
      return requests.every(({ request }) => mayEdit(request)) ? { allowed: true, command } : { allowed: false };
    if (scope === "rule") void this.#addRules(requests);
    else if (scope !== undefined) {
      const asks = requests.map(({ request }) => ({
        ...{ request, agentPath: this.#options.agentPath(request.agent.id) },
      }));
      requests[0]?.chat.grants.add(asks, scope);
    }
    for (const { request, chat } of requests) if (wantsToRun(request)) chat.grants.trust.accept(request);
    return { allowed: true };
  }

  #answerGranted(chat: AskedChat): void {
    for (const other of this.#pending.all) {
      if (other.scope === chat.id && this.#isGranted(other)) this.#pending.answer(other.id, { allowed: true });
    }
  }

  async #ask(question: Question, signal: AbortSignal): Promise<PermissionAnswer> {
    if (signal.aborted) return { allowed: false };
    const { request: wanted, chat } = question;
    const { rules } = this.#options;
    const ruling = rules === undefined ? undefined : await rules.judge(wanted);
    // What a rule allows ends as what the user allowed in the chat does.
    const isChanged = ruling?.mayRunFiles === true && wantsToRun(wanted) && !chat.grants.trust.mayRunByRule(wanted);
    const request: PermissionRequest = isChanged ? { ...wanted, isChanged } : wanted;
    const binding = isChanged ? undefined : ruling;
    const known = this.#knownAnswer({ ...question, request }, binding);
    // Claimed late: until then it can be answered as it is.
    const claim = () => chat.left?.approvals.claim(leftKey(request));
    if (known !== undefined) {
      const left = claim();
      const isShown = left !== undefined && left.answer === undefined && !this.has(left.id);
      const outcome = known.allowed ? "accepted" : "rejected";
      if (isShown) chat.emit({ type: "approval_closed", approvalId: left.id, outcome });
      return known;
    }
    const isRuled = binding?.rule !== undefined;
    const offered = isRuled || rules === undefined ? [] : await rules.offer(request);
    // What is shown is what is written: a rule with something hidden in it is not offered.
    const offeredRules = offered.every((rule) => rule === visibleText(rule) && !rule.includes("\n")) ? offered : [];
    if (signal.aborted) return { allowed: false };
    const asked: Asked = { request, chat, isRuled, offeredRules };
    const left = claim();
    if (left?.answer !== undefined) {
      const answer = this.#permissionBy(left.answer, [asked]);
      this.#answerGranted(chat);
      return answer;
    }
    const id = left === undefined || this.has(left.id) ? {} : { id: left.id };
    try {
      return await this.#pending.wait(asked, signal, { scope: chat.id, key: keyOf(request), ...id });
    } catch (error) {
      if (signal.aborted) return { allowed: false };
      throw error;
    }
  }

  /** Where rules, the mode or what the user allowed give it. */
  #knownAnswer({ request, chat, mayRun }: Question, ruling: Ruling | undefined): PermissionAnswer | undefined {
    if (ruling?.verdict === "deny") return { allowed: false, reason: ruling.reason, isRule: true };
    if (wantsToRun(request) && request.isEdited === true) {
      chat.grants.trust.accept(request);
      return { allowed: true };
    }
    if (ruling?.verdict === "allow") {
      const text = visibleText(ruling.rule ?? "");
      const grant = { id: ruling.rule ?? "", kind: request.kind, scope: "rule", text } as const;
      chat.emit({ type: "call_allowed", callId: request.callId, grant });
      return { allowed: true };
    }
    if (ruling?.rule !== undefined) return undefined;
    const lineage = () => this.#options.lineage(request.agent.id);
    const isAllowed = mayRun(request) || chat.grants.letThrough(request.callId, request, lineage());
    return isAllowed ? { allowed: true } : undefined;
  }

  /** All who wait for it may now do without. */
  #isGranted({ requests }: QueuedDecision<Asked>): boolean {
    return requests.every(
      ({ request, chat, isRuled }) => !isRuled && chat.grants.covers(request, this.#options.lineage(request.agent.id)),
    );
  }

  async #addRules(requests: readonly Asked[]): Promise<void> {
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
      request: {
        ...{ kind: request.kind, text: requestText(request), detail: requestDetail(request) },
        ...(mayEdit(request) && { mayEdit: true as const }),
      },
      ...(scopes.length > 0 && { scopes }),
      ...(mayAskAgain(request) && { requestKey: requestKey(request) }),
    };
    chat.emit({ type: "approval_requested", approval });
  }

  #asker({ agent, callId }: PermissionRequest): ApprovalAsker {
    return { agentId: agent.id, agentPath: [...this.#options.agentPath(agent.id)], callId };
  }
}

/** A call that is asked about in its midst has done something, and is not run again after a reload. */
function mayAskAgain(request: PermissionRequest): boolean {
  if (request.kind === "hook") return false;
  return request.kind !== "mcp" || request.purpose === "call";
}

/** Of all that is asked for, also of what is not shown. */
function requestKey(request: PermissionRequest): string {
  const { toolName, kind } = request;
  return createHash("sha256")
    .update(JSON.stringify([toolName, kind, ...wantedBy(request)]))
    .digest("base64url");
}

/** The same call asks for the same, and the user was shown what would be shown now. */
function leftKey(request: PermissionRequest): string {
  const { agent, callId } = request;
  const shown = { text: requestText(request), detail: requestDetail(request) };
  return keyOfLeft({ agentId: agent.id, callId }, requestKey(request), shown);
}

function keyOfLeft(
  { agentId, callId }: Pick<ApprovalAsker, "agentId" | "callId">,
  key: string,
  { text, detail = "" }: Pick<ApprovalRequest, "text" | "detail">,
): string {
  return JSON.stringify([agentId, callId, key, text, detail]);
}

/** An approval that waited when the editor ended; undefined where its calls can't run again. */
export function leftApproval(approval: Approval): LeftDecision | undefined {
  const { id, request, requestKey: key } = approval;
  if (request === undefined || key === undefined) return undefined;
  return { id, keys: askersOf(approval).map((asker) => keyOfLeft(asker, key, request)) };
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
    case "hook":
      return [request.purpose, request.event, request.command, request.path, request.version];
    default:
      return assertNever(request);
  }
}
