import type { AgentMeta } from "../../agent/types.ts";
import { AnswerThen, RefusedRequest } from "./connection.ts";
import { losesErrors, writesThroughUs } from "./modes.ts";
import { errorCodes, permissionRequestSchema, readFileSchema, writeFileSchema } from "./protocol.ts";
import type { SessionTree } from "./sessionTree.ts";
import type { ForeignCall } from "./toolCalls.ts";

/** `note`: what the agent is to know beside a no, for which its protocol has no place. */
export type PermitAnswer = { allowed: true } | { allowed: false; note?: string };

/** What an agent may ask of the editor and of its user. */
export interface RequestHost {
  /** Whether a call may go on. */
  askPermission(agent: AgentMeta, call: ForeignCall, signal: AbortSignal): Promise<PermitAnswer>;
  /** Rejects with a `RefusedRequest` for what the agent may not read. */
  readFile(
    agent: AgentMeta,
    file: { path: string; line?: number; limit?: number },
    signal: AbortSignal,
  ): Promise<string>;
  /** Resolves when the file is written as the user wants it. Rejects with a `RefusedRequest` where nothing of it is. */
  writeFile(
    agent: AgentMeta,
    file: { path: string; content: string; callId: string },
    signal: AbortSignal,
  ): Promise<void>;
}

export interface SessionRequestsOptions {
  host: RequestHost;
  /** Of the turn under way. */
  tree(): SessionTree | undefined;
  /** As the agent names itself. */
  agentName(): string;
  /** Called with what the agent has to know, once it was sent its answer. */
  onNote(text: string): void;
}

const canceled = { outcome: { outcome: "cancelled" } };

/** Answers what an agent asks while it works; outside a turn nothing is asked, read or written. */
export class SessionRequests {
  readonly #options: SessionRequestsOptions;
  #turn = new AbortController();
  #open = 0;
  #rejected = "";

  constructor(options: SessionRequestsOptions) {
    this.#options = options;
  }

  /** Whether something waits for the user, so that the agent's silence is ours. */
  get isWaiting(): boolean {
    return this.#open > 0;
  }

  /** What was not allowed last in this turn, as it is shown; empty where nothing was rejected. */
  get rejected(): string {
    return this.#rejected;
  }

  /** A turn begins. */
  begin(): void {
    this.#rejected = "";
  }

  /** The turn has ended or is canceled: what waits is answered with no. */
  withdraw(): void {
    this.#turn.abort(new Error("The turn has ended."));
    this.#turn = new AbortController();
  }

  async answer(method: string, params: unknown, withdrawn: AbortSignal): Promise<unknown> {
    const signal = AbortSignal.any([withdrawn, this.#turn.signal]);
    this.#open += 1;
    try {
      switch (method) {
        case "session/request_permission":
          return await this.#permit(params, signal);
        case "fs/read_text_file":
          return await this.#read(params, signal);
        case "fs/write_text_file":
          return await this.#write(params, signal);
        default:
          throw new RefusedRequest(errorCodes.noMethod, `Arbor does not have ${method}.`);
      }
    } finally {
      this.#open -= 1;
    }
  }

  /** Only what holds once is chosen: what was allowed for longer is known here, by whom it was allowed for. */
  async #permit(params: unknown, signal: AbortSignal): Promise<object> {
    const { host, agentName } = this.#options;
    const tree = this.#options.tree();
    const { success, data } = permissionRequestSchema.safeParse(params);
    if (!success) throw new RefusedRequest(-32_602, "Of whom and for what the permission is, can't be read.");
    if (tree === undefined) return canceled;
    const { sessionId, toolCall, options } = data;
    const once = (kind: string) => options.find((option) => option.kind === kind)?.optionId;
    // The tool itself asks, as those of our agents do.
    if (tree.isServed(toolCall)) {
      const optionId = once("allow_once");
      return optionId === undefined ? canceled : { outcome: { outcome: "selected", optionId } };
    }
    const found = tree.callOf(sessionId, toolCall);
    if (found === undefined) return canceled;
    const { agent, call } = found;
    const selected = (optionId: string | undefined) =>
      optionId === undefined ? canceled : { outcome: { outcome: "selected", optionId } };
    const allowOnce = once("allow_once");
    // There is nothing to be said that holds for this call alone.
    if (allowOnce === undefined) return selected(once("reject_once"));
    if (call.kind === "edit" && writesThroughUs(agentName())) return selected(allowOnce);
    const answer = await host.askPermission(agent.meta, call, signal);
    if (signal.aborted) return canceled;
    if (answer.allowed) return selected(allowOnce);
    this.#rejected = call.label || call.toolName;
    const refused = selected(once("reject_once"));
    if (answer.note !== undefined) {
      const isRoot = agent.meta.id === tree.rootId;
      const note = isRoot
        ? answer.note
        : `Of your sub-agent ${agent.meta.label ?? agent.meta.name ?? ""}: ${answer.note}`;
      tree.noteCall(sessionId, toolCall.toolCallId, answer.note);
      return new AnswerThen(refused, () => this.#options.onNote(note));
    }
    return refused;
  }

  async #read(params: unknown, signal: AbortSignal): Promise<object> {
    const { sessionId, path, line, limit } = parsed(readFileSchema.safeParse(params));
    const file = { path, ...(line != null && { line }), ...(limit != null && { limit }) };
    return { content: await this.#options.host.readFile(this.#agentOf(sessionId).meta, file, signal) };
  }

  async #write(params: unknown, signal: AbortSignal): Promise<object> {
    const { sessionId, path, content } = parsed(writeFileSchema.safeParse(params));
    const { host, agentName, onNote } = this.#options;
    const { meta } = this.#agentOf(sessionId);
    const callId = this.#options.tree()?.callFor(sessionId, path) ?? "";
    try {
      await host.writeFile(meta, { path, content, callId }, signal);
    } catch (error) {
      if (!(error instanceof RefusedRequest) || signal.aborted || !losesErrors(agentName())) throw error;
      const note = `What came of your edit of ${path}: ${error.message}`;
      throw new RefusedRequest(error.code, error.message, () => onNote(note));
    }
    return {};
  }

  #agentOf(sessionId: string) {
    const agent = this.#options.tree()?.agentOf(sessionId);
    if (agent === undefined) throw new RefusedRequest(errorCodes.notFound, "No such session is at work.");
    return agent;
  }
}

function parsed<Data>(result: { success: true; data: Data } | { success: false }): Data {
  if (result.success) return result.data;
  throw new RefusedRequest(-32_602, "The parameters can't be read.");
}
