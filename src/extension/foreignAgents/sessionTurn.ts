import { t } from "@vscode/l10n";
import { AgentError } from "../../agent/vocabulary/errors.ts";
import type { LimitName } from "../../agent/vocabulary/events.ts";
import type { ExternalTurn } from "../../agent/vocabulary/externalTurn.ts";
import { type AgentMessage, type AssistantMessage, userMessage } from "../../agent/vocabulary/messages.ts";
import { visibleLine } from "../approvals/requestText.ts";
import { onAbort } from "../common/abort.ts";
import { firstOf } from "../common/deadline.ts";
import type { AgentConnection } from "./connection.ts";
import type { OpenedAgent } from "./openAgent.ts";
import { conversationNote, isCommand, promptOf, unsavedNote } from "./promptTexts.ts";
import { type PromptResult, promptResultSchema, steeringResultSchema } from "./protocol.ts";
import type { SessionRequests } from "./sessionRequests.ts";
import type { SessionTree } from "./sessionTree.ts";

interface SessionTurnOptions {
  turn: ExternalTurn;
  connection: AgentConnection;
  session: OpenedAgent;
  tree: SessionTree;
  /** What was said before its session began. */
  before: readonly AgentMessage[];
  /** The program's name. */
  name: string;
  host: TurnHost;
  requests: Pick<SessionRequests, "rejected" | "withdraw">;
  limits: TurnLimits;
  /** What it waits for is the user's or ours to do, so that its silence says nothing. */
  isWaiting(): boolean;
  /** Called when messages of the user's are sent to it while it works. */
  onSteered(messages: readonly AgentMessage[]): void;
  /** Ends the program. */
  close(): Promise<void>;
}

export interface TurnLimits {
  startMs: number;
  /** Without a sign of life while a prompt is worked on and nothing of it waits for the user. */
  silentMs: number;
  /** How long an agent has to end after it was canceled. */
  cancelMs: number;
  /** How long those that it spawned may be silent after it has answered. */
  childrenMs: number;
}

export interface TurnHost {
  /** Files whose text in the editor is not saved: an agent reads the disk. */
  unsavedFiles(): readonly string[];
  /** What has to stop it, if anything of its budget is used up. */
  usedUp(agentId: string): { limit: LimitName; text: string } | undefined;
}

/** One turn of an agent of another program: prompts, to the answer that ends it. */
export class SessionTurn {
  readonly #options: SessionTurnOptions;
  /** What it has not taken in while it worked: the next prompt. */
  readonly #held: AgentMessage[] = [];
  #steering = Promise.resolve();
  #hasNotes = false;
  #onActivity = () => {};

  constructor(options: SessionTurnOptions) {
    this.#options = options;
  }

  /** It gave a sign of life. */
  noteActivity(): void {
    this.#onActivity();
  }

  /** Sends it what its protocol's answers have no place for. */
  note(text: string): void {
    this.#hasNotes = true;
    if (this.#options.session.canSteer) this.#steer([userMessage(text)]);
    else this.#held.push(userMessage(text));
  }

  /** Resolves when it has answered and what it spawned has ended. */
  async run(): Promise<PromptResult> {
    const { turn, connection, session, tree, before, host, onSteered } = this.#options;
    const held = this.#held;
    if (session.canSteer) {
      turn.onSteering((take) => {
        const taken = take();
        onSteered(taken);
        this.#steer(taken);
      });
    }
    // Our tools read what the editor has.
    const unsaved = session.isGuarded ? [] : host.unsavedFiles();
    const notes = [...conversationNote(before), ...unsavedNote(unsaved)];
    const asked = promptOf(turn.prompts);
    // A command is one at the start of a prompt only.
    const prompt = isCommand(turn.prompts) ? [...asked, ...notes] : [...notes, ...asked];
    let result = await this.#ask(prompt);
    for (;;) {
      // It may say only after its answer what it did not take in while it worked.
      await this.#steering;
      const hasMore = () => held.length > 0 && this.#mayGoOn(result);
      if (!hasMore() && connection.isOpen && tree.hasRunning) {
        await this.#waitForChildren();
        await this.#steering;
      }
      if (!hasMore()) return result;
      tree.reportPrompt(result);
      tree.transcript.endMessage();
      result = await this.#ask(promptOf(held.splice(0)));
    }
  }

  #mayGoOn({ stopReason }: PromptResult): boolean {
    const { signal, agent } = this.#options.turn;
    if (signal.aborted) return false;
    if (stopReason === "end_turn") return true;
    // Some give up their turn at a no.
    const hasNotes = this.#hasNotes && this.#options.host.usedUp(agent.meta.id) === undefined;
    return stopReason === "cancelled" && hasNotes;
  }

  #steer(messages: readonly AgentMessage[]): void {
    const sent = this.#sendSteering(messages);
    this.#steering = this.#steering.then(() => sent);
  }

  async #sendSteering(messages: readonly AgentMessage[]): Promise<void> {
    const { turn, connection, session, limits } = this.#options;
    if (messages.length === 0) return;
    const params = {
      ...{ sessionId: session.sessionId, prompt: promptOf(messages) },
      _meta: { steering: { idleBehavior: "promptRequired" } },
    };
    const signal = AbortSignal.any([turn.signal, AbortSignal.timeout(limits.startMs)]);
    const answer = await connection
      .request("_session/steering", params, { result: steeringResultSchema, signal })
      .catch(() => undefined);
    if (answer?.outcome !== "injected" && answer?.outcome !== "startedNewTurn") this.#held.push(...messages);
  }

  /** One prompt, to its answer: as long as it shows a sign of life, is not stopped and has something of its budget left. */
  async #ask(prompt: object[]): Promise<PromptResult> {
    const { turn, connection, session, host, name, limits, requests, close } = this.#options;
    const { sessionId } = session;
    const ended = new AbortController();
    let isUsedUp = false;
    let isSilent = false;
    const cancel = async () => {
      connection.notify("session/cancel", { sessionId });
      requests.withdraw();
      await firstOf(new Promise<void>((resolve) => onAbort(ended.signal, resolve)), limits.cancelMs);
      // It does not heed it, so it can't be left running.
      if (!ended.signal.aborted) await close();
    };
    const listening = onAbort(turn.signal, () => void cancel());
    this.#onActivity = () => {
      const used = host.usedUp(turn.agent.meta.id);
      if (used === undefined || ended.signal.aborted) return;
      this.#onActivity = () => {};
      isUsedUp = true;
      turn.stop("limit", { limit: used.limit, limitText: used.text });
      void cancel();
    };
    const watch = setInterval(
      () => {
        if (connection.silentMs < limits.silentMs || this.#options.isWaiting()) return;
        isSilent = true;
        void close();
      },
      Math.min(1_000, limits.silentMs),
    );
    try {
      // It is canceled by a notification of its own, so that its answer still comes.
      const signal = new AbortController().signal;
      return await connection.request("session/prompt", { sessionId, prompt }, { result: promptResultSchema, signal });
    } catch (error) {
      // What is of no use any more does not go on.
      if (!connection.isOpen) await close();
      if (turn.signal.aborted) throw turn.signal.reason;
      if (isUsedUp) return { stopReason: "cancelled" };
      const [last = ""] = connection.log.slice(-1);
      const reason = isSilent ? t("It stopped responding.") : textOfError(error);
      throw new AgentError("provider", [t("{0} failed: {1}", name, reason), visibleLine(last, 300)].join(" ").trim());
    } finally {
      ended.abort();
      this.#onActivity = () => {};
      clearInterval(watch);
      listening.dispose();
    }
  }

  /** Those that it spawned may go on after it has answered. */
  async #waitForChildren(): Promise<void> {
    const { turn, connection, tree, limits, isWaiting } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      const isSilent = connection.silentMs > limits.childrenMs && !isWaiting();
      if (!tree.hasRunning || turn.signal.aborted || !connection.isOpen || isSilent) resolve();
    };
    const watch = setInterval(check, 200);
    this.#onActivity = check;
    const listening = onAbort(turn.signal, check);
    check();
    await promise;
    clearInterval(watch);
    listening.dispose();
    this.#onActivity = () => {};
    for (const sessionId of tree.runningSessions) connection.notify("session/cancel", { sessionId });
  }

  /** The message that the turn ends with; throws what it failed with. */
  conclude({ stopReason }: PromptResult): AssistantMessage | undefined {
    const { turn, tree, name, host, requests } = this.#options;
    const failed = (reason: string) => {
      tree.close("error", reason);
      return new AgentError("provider", reason);
    };
    if (turn.signal.aborted) throw turn.signal.reason;
    switch (stopReason) {
      case "refusal":
        throw failed(t("{0} refused to continue.", name));
      case "max_tokens":
        throw failed(t("The answer of {0} reached its length limit.", name));
      case "max_turn_requests":
        turn.stop("limit", { limit: "turns", limitText: t("{0} has made as many requests as it may.", name) });
        break;
      case "cancelled": {
        if (host.usedUp(turn.agent.meta.id) !== undefined) break;
        // On its own: Codex gives up its turn when something is not allowed.
        const { rejected } = requests;
        throw failed(
          rejected === ""
            ? t("{0} stopped before it was done.", name)
            : t("{0} stopped because this was not allowed: {1}", name, rejected),
        );
      }
      default:
    }
    tree.close(stopReason === "cancelled" ? "aborted" : "done", t("It was canceled."));
    return tree.latest;
  }
}

export function textOfError(error: unknown): string {
  return visibleLine(error instanceof Error ? error.message : String(error), 1_000);
}
