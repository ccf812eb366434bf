import { randomUUID } from "node:crypto";
import { AgentError } from "../../agent/vocabulary/errors.ts";
import type { ExternalAgent, ExternalTurn } from "../../agent/vocabulary/externalTurn.ts";
import type { AssistantMessage } from "../../agent/vocabulary/messages.ts";
import type { PlanItem } from "../../protocol/hostEvents.ts";
import type { PermissionMode } from "../../protocol/modes.ts";
import { foreignProviderId } from "../models/providers.ts";
import { AgentConnection, AgentRequestError } from "./connection.ts";
import { type ForeignAgentDefinition, foreignEnvironment } from "./definitions.ts";
import { canPlan, type Supervision, supervisionOf } from "./modes.ts";
import { type OpenedAgent, openAgent, startFailure } from "./openAgent.ts";
import { offeredCommands, type ProgramOffers } from "./programOffers.ts";
import { knowsAll } from "./promptTexts.ts";
import { errorCodes, sessionUpdateSchema } from "./protocol.ts";
import { ServedTurn } from "./servedTurn.ts";
import { SessionChoices } from "./sessionChoices.ts";
import { type RequestHost, SessionRequests } from "./sessionRequests.ts";
import { type Reported, SessionTree } from "./sessionTree.ts";
import { SessionTurn, type TurnHost, type TurnLimits, textOfError } from "./sessionTurn.ts";

export interface ForeignFacts {
  sessionId: string;
  /** The last message that the session was sent. */
  upTo?: string;
  supervision: Supervision;
  reported: Reported;
}

export interface ForeignSessionOptions {
  definition: ForeignAgentDefinition;
  /** Absolute. */
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** The session that it had in an earlier window, and the last message that it was sent. */
  earlier?: { sessionId: string; upTo?: string | undefined };
  permissionMode(): PermissionMode;
  /** It is one of our agents but for its model: its instructions go with it. */
  isOurs?: boolean;
  /** Which tools of its node are offered to one that is not guarded, and which only look. */
  tools?: { isOffered(name: string): boolean; isReadOnly(name: string): boolean };
  host: RequestHost &
    TurnHost & {
      /** An agent has come, or what is known of it has changed. */
      onFacts(agentId: string, facts: ForeignFacts): void;
      onPlan(agentId: string, items: PlanItem[]): void;
      /** The program has said what it offers. */
      onOffers(offers: Partial<Omit<ProgramOffers, "chosen">>): void;
      /** Values by the ids of the program's options, as the user chose them. */
      chosenOptions(): Readonly<Record<string, string>>;
      /** Called before it works; the result, when it has ended. */
      watchChanges(agent: ExternalAgent): Promise<() => Promise<void>>;
    };
  /** Defaults are for real agents. */
  limits?: Partial<TurnLimits>;
}

const defaultLimits: TurnLimits = {
  startMs: 60_000,
  silentMs: 10 * 60_000,
  cancelMs: 1_500,
  childrenMs: 60_000,
};

/**
 * An agent of another program: its process, which starts with its first turn, and its session. Each turn of its node is
 * a prompt. One that crashed or fell silent fails its turn; the next one starts it again, with its session where it can.
 */
export class ForeignSession {
  readonly #options: ForeignSessionOptions;
  readonly #limits: TurnLimits;
  readonly #requests: SessionRequests;
  #connection: AgentConnection | undefined;
  #session: OpenedAgent | undefined;
  #sessionId: string | undefined;
  #upTo: string | undefined;
  /** It was not sent yet what was said before it began. */
  #isNew = false;
  #tree: SessionTree | undefined;
  #earlier: SessionTree | undefined;
  readonly #choices: SessionChoices;
  #isDisposed = false;
  /** The latest. */
  #turn: SessionTurn | undefined;
  readonly #served: ServedTurn;

  constructor(options: ForeignSessionOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#sessionId = options.earlier?.sessionId;
    this.#upTo = options.earlier?.upTo;
    this.#served = new ServedTurn({ ...options, onActivity: () => this.#turn?.noteActivity() });
    this.#choices = new SessionChoices(options, this.#limits.startMs);
    this.#requests = new SessionRequests({
      host: options.host,
      tree: () => this.#tree,
      agentName: () => this.#session?.agentName ?? "",
      onNote: (text) => this.#turn?.note(text),
    });
  }

  /** The latest lines of its error output. */
  get log(): readonly string[] {
    return this.#connection?.log ?? [];
  }

  readonly takeTurn = async (turn: ExternalTurn): Promise<AssistantMessage | undefined> => {
    const { host, definition } = this.#options;
    if (!knowsAll(definition.name, turn, this.#upTo)) await this.#forget();
    // Another list is another session: most programs read it once.
    if (this.#served.begin(turn)) await this.close();
    const { connection, session } = await this.#opened(turn);
    if (this.#options.permissionMode() === "plan" && !canPlan(session.agentName, this.#choices.modeId)) {
      throw new AgentError("hook", `${definition.name} can't be kept from changing files, so it does not plan.`);
    }
    this.#upTo = turn.prompts.at(-1)?.id ?? this.#upTo;
    const before = this.#isNew ? turn.earlier : [];
    const tree = new SessionTree(turn.agent, this.#treeOptions(session), this.#earlier);
    this.#tree = tree;
    this.#served.tree = tree;
    this.#requests.begin();
    // What is written by our tools was reviewed.
    const endChanges = session.isGuarded ? async () => {} : await host.watchChanges(turn.agent);
    try {
      const working = new SessionTurn({
        ...{ turn, connection, session, tree, before, host, name: definition.name },
        ...{ requests: this.#requests, limits: this.#limits },
        // What it waits for is the user's or ours to do, so that its silence says nothing.
        isWaiting: () => this.#requests.isWaiting || this.#served.isWaiting,
        onSteered: (messages) => {
          this.#upTo = messages.at(-1)?.id ?? this.#upTo;
          tree.reportAgain();
        },
        close: () => this.close(),
      });
      this.#turn = working;
      // What its model called belongs to the transcript, also where it did not wait for it.
      const result = await working.run().finally(() => this.#served.end());
      this.#isNew = false;
      tree.reportPrompt(result);
      return working.conclude(result);
    } catch (error) {
      tree.close(turn.signal.aborted ? "aborted" : "error", turn.signal.aborted ? "Stopped." : textOfError(error));
      throw error;
    } finally {
      this.#requests.withdraw();
      this.#earlier = tree;
      this.#tree = undefined;
      await endChanges();
    }
  };

  /** Stops one that it spawned. False where there is none of this id. */
  cancelChild(agentId: string): boolean {
    const sessionId = this.#tree?.sessionOf(agentId);
    if (sessionId === undefined || sessionId === this.#session?.sessionId) return false;
    this.#connection?.notify("session/cancel", { sessionId });
    return true;
  }

  /** Ends it with all that it spawned. */
  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#served.dispose();
    await connection?.close();
  }

  /** The conversation is another one now: the next session begins with what is left of it. */
  async #forget(): Promise<void> {
    this.#sessionId = undefined;
    this.#earlier = undefined;
    await this.close();
  }

  /** Ends it at once, for good. */
  dispose(): void {
    this.#isDisposed = true;
    this.#connection?.kill();
    this.#connection = undefined;
    this.#served.dispose();
  }

  async #opened({
    signal,
    systemPrompt,
  }: ExternalTurn): Promise<{ connection: AgentConnection; session: OpenedAgent }> {
    if (this.#isDisposed) throw new AgentError("scope_closed", "This agent was closed.");
    if (this.#connection?.isOpen === true && this.#session !== undefined) {
      await this.#choices.apply(this.#connection, this.#session, signal);
      return { connection: this.#connection, session: this.#session };
    }
    const { definition, cwd, environment } = this.#options;
    const connection = new AgentConnection({
      ...{ command: definition.command, args: definition.args, cwd },
      environment: (mark) => ({ ...foreignEnvironment(definition, environment, mark), ...this.#served.environment }),
      onNotification: (method, params) => this.#notified(method, params),
      onRequest: (method, params, withdrawn) => this.#requests.answer(method, params, withdrawn),
      onEnd: () => {},
    });
    this.#connection = connection;
    this.#session = undefined;
    try {
      const opened = await openAgent(connection, {
        ...{ cwd, signal, timeoutMs: this.#limits.startMs },
        setup: {
          isGuarded: definition.guarded,
          ...(this.#options.isOurs === true && { instructions: systemPrompt }),
          onLogins: (logins) => this.#options.host.onOffers({ logins }),
          toolServer: (agentName) => this.#served.address(agentName),
        },
        ...(this.#sessionId !== undefined && { sessionId: this.#sessionId }),
      });
      this.#session = opened;
      this.#sessionId = opened.sessionId;
      this.#isNew ||= opened.isNew;
      this.#choices.begin(opened);
      this.#options.host.onOffers({ options: opened.options, needsLogin: false });
      await this.#choices.apply(connection, opened, signal);
      return { connection, session: opened };
    } catch (error) {
      this.#connection = undefined;
      this.#served.dispose();
      await connection.close();
      if (signal.aborted) throw error;
      if (error instanceof AgentRequestError && error.code === errorCodes.authRequired) {
        this.#options.host.onOffers({ needsLogin: true });
      }
      throw startFailure(error, definition, connection.log);
    }
  }

  #treeOptions({ sessionId, agentName, isGuarded }: OpenedAgent) {
    const { host, definition } = this.#options;
    return {
      ...{ sessionId, newId: randomUUID, now: Date.now, model: { id: definition.name, provider: foreignProviderId } },
      onPlan: host.onPlan,
      isServed: (name: string) => this.#served.isServed(agentName, name),
      onAgent: (agent: ExternalAgent, reported: Reported) =>
        host.onFacts(agent.meta.id, {
          ...{ sessionId, reported, supervision: supervisionOf(agentName, this.#choices.modeId, isGuarded) },
          ...(this.#upTo !== undefined && { upTo: this.#upTo }),
        }),
    };
  }

  #notified(method: string, params: unknown): void {
    if (method !== "session/update") return;
    const parsed = sessionUpdateSchema.safeParse(params).data;
    if (parsed === undefined) return;
    const { sessionId, update } = parsed;
    if (update.sessionUpdate === "current_mode_update" && sessionId === this.#session?.sessionId) {
      this.#choices.modeId = update.currentModeId;
      this.#tree?.reportAgain();
    }
    if (update.sessionUpdate === "config_option_update" && sessionId === this.#session?.sessionId) {
      if (this.#choices.change(this.#session, update.configOptions ?? [])) this.#tree?.reportAgain();
    }
    if (update.sessionUpdate === "available_commands_update") {
      this.#options.host.onOffers({ commands: offeredCommands(update.availableCommands ?? []) });
    }
    if (this.#tree !== undefined) this.#tree.apply(sessionId, update);
    // It works without having been asked, where nothing of it could be seen.
    else if (update.sessionUpdate === "tool_call" && this.#session !== undefined) {
      this.#connection?.notify("session/cancel", { sessionId });
    }
    this.#turn?.noteActivity();
  }
}
