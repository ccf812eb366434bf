import { t } from "@vscode/l10n";
import { assertNever } from "../../agent/vocabulary/errors.ts";
import type { GrantScope } from "../../protocol/grants.ts";
import type { HostEvent } from "../../protocol/hostEvents.ts";
import type { PermissionMode } from "../../protocol/modes.ts";
import { userAgentId } from "../../protocol/userAgent.ts";
import type { ChatGrants } from "../approvals/chatGrants.ts";
import { gainsRemoteSchema } from "../approvals/editSensitivity.ts";
import { type EditRequest, offersFor } from "../approvals/grants.ts";
import type { Ruling } from "../approvals/permissionRules.ts";
import { visibleText } from "../approvals/requestText.ts";
import { ToolError } from "../common/userError.ts";
import type { CallOrigin } from "./journal/callRecord.ts";
import type { EditJournal } from "./journal/editJournal.ts";
import type { EditProposal, EditReview, ReviewOutcome } from "./model/change.ts";
import { diffLines } from "./model/diffLines.ts";
import type { ProposalReviews } from "./proposalReviews.ts";
import { emitWritten, pathsOf, type WrittenByCall } from "./provenance/writtenEdits.ts";
import type { WrittenReviews } from "./writtenReviews.ts";

/** When the user reviews an edit: before it is written, after, or not at all. */
export type ReviewMode = "before" | "after" | "off";

/** The mode `auto-edit` asks nothing before an edit is written. */
export function reviewModeOf({ editReview, permissionMode }: ReviewSettings): ReviewMode {
  return permissionMode === "auto-edit" && editReview === "before" ? "after" : editReview;
}

interface ReviewSettings {
  editReview: ReviewMode;
  permissionMode: PermissionMode;
}

interface ReviewsByMode {
  /** Asked for each edit. */
  mode(): ReviewMode;
  before: ProposalReviews;
  after: WrittenReviews;
  /** Edits that wait for an answer, so that one that reaches further finds what it is about. */
  open: OpenEdits;
  /** Whether an edit of the file is asked for whatever the mode says: by its path, and by where a link leads. */
  isSensitive(path: string): Promise<boolean>;
  /** Where a file really is, as the workspace names it, where a link leads there. Default: where its path says. */
  leadsTo?(path: string): Promise<string | undefined>;
  /** What the rules of the settings say of an edit. Default: nothing. */
  judge?(request: EditRequest): Promise<Ruling | undefined>;
  /** What a window that ends in the middle leaves of edits. Default: nothing. */
  journal?: EditJournal;
  /** What a tool call has written, with what is not kept at once. Default: nothing is known of it. */
  writtenBy?(call: Pick<EditProposal, "callId" | "agent">): WrittenByCall;
}

/** What the reviews need to know of one chat. */
export interface ReviewedChat {
  /** Absent where nothing of its edits is to be found after a crash. */
  id?: string;
  /** The root agent's tool call that a sub-agent works for. */
  rootCall?(agentId: string): string | undefined;
  emit(event: HostEvent): void;
  /** Ids from the root agent down to this one. */
  lineage(agentId: string): readonly string[];
  /** What needs no question any more. */
  grants: ChatGrants;
}

/** Reviews an edit before or after it is written, as the mode at that time says and what is allowed already. */
export function reviewByMode(reviews: ReviewsByMode, chat: ReviewedChat): EditReview {
  const { mode, after, isSensitive, journal } = reviews;
  return {
    chat: chat.grants,
    denies: async ({ agent, changes }) => {
      const denied = new Map<string, string>();
      for (const change of changes) {
        const { ruling } = await judged({ agent, changes: [change] });
        if (ruling?.verdict !== "deny") continue;
        denied.set(change.path, `a rule in the settings forbids it: ${ruling.rule ?? ruling.reason}`);
      }
      return denied;
    },
    review: async (proposal, signal) => {
      try {
        const reviewed = await review(proposal, signal);
        const changed = reviewed.files.filter(
          ({ hunks }) => hunks.length === 0 || hunks.some(({ accepted }) => accepted),
        );
        const movedTo = proposal.changes.flatMap((change) => change.movedTo ?? []);
        if (proposal.agent.id !== userAgentId && changed.length > 0) {
          chat.grants.lapseCommands([...changed.map(({ path }) => path), ...movedTo]);
        }
        if (changed.length > 0 && reviews.writtenBy !== undefined) {
          const written = reviews.writtenBy(proposal);
          const paths = pathsOf(written).map(async (path) => ((await isSensitive(path)) ? path : []));
          emitWritten(chat.emit, { ...proposal, ...written }, new Set((await Promise.all(paths)).flat()));
        }
        return reviewed;
      } finally {
        // Code that the user applies is no agent's: its call ends here.
        if (proposal.agent.id === userAgentId && chat.id !== undefined) {
          const { callId, toolName } = proposal;
          journal?.finish(chat.id, { callId, toolName, result: "", isRoot: true });
        }
      }
    },
  };

  /** What the rules say of all these changes as one edit, and what makes it a question in every mode. */
  async function judged({ agent, changes }: Pick<EditProposal, "agent" | "changes">) {
    const paths = changes.flatMap(({ path, movedTo }) => (movedTo === undefined ? [path] : [path, movedTo]));
    const isAsked = await Promise.all(paths.map(isSensitive));
    // What is allowed or denied for a folder means the files that are in it, by whatever name they are changed.
    const real = await Promise.all(paths.map(async (path) => (await reviews.leadsTo?.(path)) ?? []));
    const sensitive = paths.filter((_, index) => isAsked[index]);
    const namesSchema = changes.some((each) => gainsRemoteSchema(each.before, each.after));
    const request: EditRequest = {
      ...{ kind: "edit", agent, paths: [...new Set([...paths, ...real.flat()])] },
      isSensitive: sensitive.length > 0 || namesSchema,
    };
    // What the user applies by hand needs no rule.
    const ruling = agent.id === userAgentId ? undefined : await reviews.judge?.(request);
    return { request, sensitive, namesSchema, ruling };
  }

  async function review(proposal: EditProposal, signal: AbortSignal): ReturnType<EditReview["review"]> {
    const { request, sensitive, namesSchema, ruling } = await judged(proposal);
    const agentIds = chat.lineage(proposal.agent.id);
    const apply = async (how: "after" | "off") => {
      if (proposal.writesItself === true) return permitted(proposal);
      const origin = originOf(chat, proposal, how);
      const called = { ...(chat.id !== undefined && { chatId: chat.id }), ...(origin && { origin }) };
      return after.apply(proposal, { agentIds, isPending: how === "after", ...called }, signal);
    };
    if (ruling?.verdict === "deny") {
      throw new ToolError(
        `A rule in the settings forbids this edit: ${ruling.rule ?? ruling.reason} Nothing was changed. Go on without it, or say what you need it for.`,
      );
    }
    const why = whyInEveryMode({ sensitive, namesSchema, mustAsk: proposal.mustAsk, ruling });
    const asked = { proposal, request, why };
    if (ruling?.verdict === "ask" || proposal.mustAsk !== undefined)
      return ask(reviews, chat, { ...asked, isRuled: true }, signal);
    // Sensitive files are asked for in every mode.
    const now = request.isSensitive || proposal.writesItself === true ? "before" : mode();
    switch (now) {
      case "before":
        if (ruling?.verdict === "allow") return apply("after");
        return chat.grants.letThrough(proposal.callId, request, agentIds)
          ? apply("after")
          : ask(reviews, chat, asked, signal);
      case "after":
      case "off":
        return apply(now);
      default:
        return assertNever(now);
    }
  }
}

interface AskedInEveryMode {
  mustAsk: EditProposal["mustAsk"];
  /** Paths of its files that are never changed unasked. */
  sensitive: readonly string[];
  namesSchema: boolean;
  ruling: Ruling | undefined;
}

/** Sentences for the user; none where the mode alone decides. */
function whyInEveryMode({ sensitive, namesSchema, mustAsk, ruling }: AskedInEveryMode): string[] {
  const rule = ruling?.verdict === "ask" ? (ruling.rule ?? ruling.reason) : undefined;
  const files = sensitive.map(visibleText).join(", ");
  return [
    ...(rule === undefined ? [] : [t("Always asked for, by a rule in the settings: {0}", visibleText(rule))]),
    ...(mustAsk === "overwrites" ? [t("Always asked for: it replaces a file that is there.")] : []),
    ...(mustAsk === "conflicts" ? [t("Always asked for: you changed some of these lines, too.")] : []),
    ...(typeof mustAsk === "object"
      ? [t("Always asked for: writing it failed. {0}", visibleText(mustAsk.unwritten))]
      : []),
    ...(files === "" ? [] : [t("Always asked for: {0} can hold secrets or decide what runs.", files)]),
    ...(namesSchema ? [t("Always asked for: it names a schema on the web, which editors fetch at once.")] : []),
  ];
}

/** All of it may be written, by the agent itself. */
function permitted({ changes }: EditProposal): ReviewOutcome {
  const files = changes.map(({ path, before, after = "" }) => ({
    ...{ path, saved: true, changedByUser: false, ...(before !== undefined && { text: before }) },
    hunks: diffLines(before ?? "", after).map((hunk) => ({ hunk, accepted: true })),
  }));
  return { files };
}

function originOf(chat: ReviewedChat, proposal: EditProposal, mode: CallOrigin["mode"]): CallOrigin | undefined {
  if (chat.id === undefined) return undefined;
  const { agent, callId } = proposal;
  const rootCallId = chat.rootCall?.(agent.id) ?? callId;
  return { chatId: chat.id, agentIds: chat.lineage(agent.id), rootCallId, mode };
}

interface AskedEdit {
  proposal: EditProposal;
  request: EditRequest;
  why: readonly string[];
  isRuled?: boolean;
}

/** Asks the user, and says which answers may reach further. */
function ask(
  { before, open }: ReviewsByMode,
  chat: ReviewedChat,
  { proposal, request, why, isRuled = false }: AskedEdit,
  signal: AbortSignal,
): ReturnType<EditReview["review"]> {
  const { emit, grants, lineage } = chat;
  const scopes = isRuled ? [] : offersFor(request);
  const asking = before.reviewFor(
    (event, proposers) => {
      if (event.type === "approval_closed") open.remove(event.approvalId);
      if (event.type !== "approval_requested") {
        emit(event);
        return;
      }
      const { approval } = event;
      const asks = proposers.map(({ agent, agentPath }) => ({
        ...{ request: { ...request, agent }, lineage: lineage(agent.id), agentPath },
      }));
      open.put({ approvalId: approval.id, asks, grants });
      const more = { ...(scopes.length > 0 && { scopes }), ...(why.length > 0 && { why: [...why] }) };
      emit({ ...event, approval: { ...approval, ...more } });
    },
    grants,
    (proposed) => originOf(chat, proposed, "before"),
  );
  return asking.review(proposal, signal);
}

interface OpenEdit {
  approvalId: string;
  /** Of all who wait for the answer. */
  asks: readonly Ask[];
  /** Of its chat. */
  grants: ChatGrants;
}

interface Ask {
  request: EditRequest;
  /** Ids and names from the root agent down to the one that asks. */
  lineage: readonly string[];
  agentPath: readonly string[];
}

/** The edits that wait for an answer, with what an answer to each may reach. */
export class OpenEdits {
  readonly #open = new Map<string, OpenEdit>();

  /** Takes the place of what was known of it. */
  put(edit: OpenEdit): void {
    this.#open.set(edit.approvalId, edit);
  }

  remove(approvalId: string): void {
    this.#open.delete(approvalId);
  }

  /**
   * Allows what the scope of an answer reaches. Gives the ids of all edits of the chat that need no other answer now,
   * the answered one first; none when that one is not open any more or the scope was not on offer.
   */
  grant(approvalId: string, scope: GrantScope): string[] {
    const answered = this.#open.get(approvalId);
    if (answered === undefined) return [];
    const { grants, asks } = answered;
    if (!grants.add(asks, scope)) return [];
    const covered = [...this.#open.values()].filter(
      (edit) =>
        edit !== answered &&
        edit.grants === grants &&
        edit.asks.every(({ request, lineage }) => grants.covers(request, lineage)),
    );
    return [approvalId, ...covered.map((edit) => edit.approvalId)];
  }
}
