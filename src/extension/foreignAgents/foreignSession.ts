// Long because starting, prompting, canceling and waiting all depend on each other here.
import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import { AgentError } from "../../agent/vocabulary/errors.ts";
import type { LimitName } from "../../agent/vocabulary/events.ts";
import type { ExternalAgent, ExternalTurn } from "../../agent/vocabulary/externalTurn.ts";
import { type AgentMessage, type AssistantMessage, textOf } from "../../agent/vocabulary/messages.ts";
import type { PlanItem } from "../../protocol/hostEvents.ts";
import type { PermissionMode } from "../../protocol/modes.ts";
import { visibleLine } from "../approvals/requestText.ts";
import { onAbort } from "../common/abort.ts";
import { firstOf } from "../common/deadline.ts";
import { foreignProviderId } from "../models/providers.ts";
import { AgentConnection, AgentRequestError } from "./connection.ts";
import { type ForeignAgentDefinition, foreignEnvironment } from "./definitions.ts";
import { canPlan, type Supervision, supervisionOf } from "./modes.ts";
import { type OpenedAgent, openAgent, startFailure } from "./openAgent.ts";
import { modelsOption, offeredCommands, offeredOptions, type ProgramOffers } from "./programOffers.ts";
import {
  errorCodes,
  type PromptResult,
  promptResultSchema,
  type SessionResult,
  sessionUpdateSchema,
  steeringResultSchema,
} from "./protocol.ts";
import { ServedTurn } from "./servedTurn.ts";
import { type RequestHost, SessionRequests } from "./sessionRequests.ts";
import { type Reported, SessionTree } from "./sessionTree.ts";

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
  host: RequestHost & {
    /** An agent has come, or what is known of it has changed. */
    onFacts(agentId: string, facts: ForeignFacts): void;
    onPlan(agentId: string, items: PlanItem[]): void;
    /** The program has said what it offers. */
    onOffers(offers: Partial<Omit<ProgramOffers, "chosen">>): void;
    /** Values by the ids of the program's options, as the user chose them. */
    chosenOptions(): Readonly<Record<string, string>>;
    /** Called before it works; the result, when it has ended. */
    watchChanges(agent: ExternalAgent): Promise<() => Promise<void>>;
    /** Files whose text in the editor is not saved: an agent reads the disk. */
    unsavedFiles(): readonly string[];
    /** What has to stop it, if anything of its budget is used up. */
    usedUp(agentId: string): { limit: LimitName; text: string } | undefined;
  };
  /** Defaults are for real agents. */
  limits?: Partial<typeof defaultLimits>;
}

const defaultLimits = {
  startMs: 60_000,
  /** Without a sign of life while a prompt is worked on and nothing of it waits for the user. */
  silentMs: 10 * 60_000,
  /** How long an agent has to end after it was canceled. */
  cancelMs: 1_500,
  /** How long those that it spawned may be silent after it has answered. */
  childrenMs: 60_000,
};

/**
 * An agent of another program: its process, which starts with its first turn, and its session. Each turn of its node is
 * a prompt. One that crashed or fell silent fails its turn; the next one starts it again, with its session where it can.
 */
export class ForeignSession {
  readonly #options: ForeignSessionOptions;
  readonly #limits: typeof defaultLimits;
  readonly #requests: SessionRequests;
  #connection: AgentConnection | undefined;
  #session: OpenedAgent | undefined;
  #sessionId: string | undefined;
  #upTo: string | undefined;
  /** It was not sent yet what was said before it began. */
  #isNew = false;
  #tree: SessionTree | undefined;
  #earlier: SessionTree | undefined;
  #modeId: string | undefined;
  /** As they are in its session. */
  #optionValues: Record<string, string> = {};
  #isDisposed = false;
  /** It was ended because it was silent. */
  #silence = false;
  #onActivity = () => {};
  readonly #served: ServedTurn;

  constructor(options: ForeignSessionOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#sessionId = options.earlier?.sessionId;
    this.#upTo = options.earlier?.upTo;
    this.#served = new ServedTurn({ ...options, onActivity: () => this.#onActivity() });
    this.#requests = new SessionRequests({
      host: options.host,
      tree: () => this.#tree,
      agentName: () => this.#session?.agentName ?? "",
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
    if (this.#options.permissionMode() === "plan" && !canPlan(session.agentName, this.#modeId)) {
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
      const prompted = this.#prompt(turn, { connection, session, tree, before });
      // What its model called belongs to the transcript, also where it did not wait for it.
      const result = await prompted.finally(() => this.#served.end());
      this.#isNew = false;
      tree.reportPrompt(result);
      return this.#conclude(turn, tree, result);
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
      await this.#setMode(this.#connection, this.#session, signal);
      await this.#setOptions(this.#connection, this.#session, signal);
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
      this.#modeId = opened.modes?.currentModeId;
      this.#optionValues = Object.fromEntries(opened.options.map(({ id, current }) => [id, current]));
      this.#options.host.onOffers({ options: opened.options, needsLogin: false });
      await this.#setMode(connection, opened, signal);
      await this.#setOptions(connection, opened, signal);
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

  /** In a mode that skips questions nothing is begun that could be asked for. */
  async #setMode(connection: AgentConnection, session: OpenedAgent, signal: AbortSignal): Promise<void> {
    const modeId = session.wantedMode(this.#options.permissionMode());
    if (modeId === undefined || modeId === this.#modeId) return;
    await session.setMode(connection, modeId, signal);
    this.#modeId = modeId;
  }

  /** What it does not take or answer is left as it is: its models may be others now. */
  async #setOptions(connection: AgentConnection, session: OpenedAgent, signal: AbortSignal): Promise<void> {
    const chosen = this.#options.host.chosenOptions();
    for (const { id, values } of session.options) {
      const value = chosen[id];
      if (value === undefined || value === this.#optionValues[id]) continue;
      if (!values.some((each) => each.value === value)) continue;
      this.#optionValues[id] = value;
      const limited = AbortSignal.any([signal, AbortSignal.timeout(this.#limits.startMs)]);
      await session.setOption(connection, { id, value }, limited).catch((error: unknown) => {
        if (signal.aborted || !connection.isOpen) throw error;
      });
    }
  }

  /** What it waits for is the user's or ours to do, so that its silence says nothing. */
  get #isWaiting(): boolean {
    return this.#requests.isWaiting || this.#served.isWaiting;
  }

  #treeOptions({ sessionId, agentName, isGuarded }: OpenedAgent) {
    const { host, definition } = this.#options;
    return {
      ...{ sessionId, newId: randomUUID, now: Date.now, model: { id: definition.name, provider: foreignProviderId } },
      onPlan: host.onPlan,
      isServed: (name: string) => this.#served.isServed(agentName, name),
      onAgent: (agent: ExternalAgent, reported: Reported) =>
        host.onFacts(agent.meta.id, {
          ...{ sessionId, reported, supervision: supervisionOf(agentName, this.#modeId, isGuarded) },
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
      this.#modeId = update.currentModeId;
      this.#tree?.reportAgain();
    }
    if (update.sessionUpdate === "config_option_update" && sessionId === this.#session?.sessionId) {
      this.#changeOptions(this.#session, update.configOptions ?? []);
    }
    if (update.sessionUpdate === "available_commands_update") {
      this.#options.host.onOffers({ commands: offeredCommands(update.availableCommands ?? []) });
    }
    if (this.#tree !== undefined) this.#tree.apply(sessionId, update);
    // It works without having been asked, where nothing of it could be seen.
    else if (update.sessionUpdate === "tool_call" && this.#session !== undefined) {
      this.#connection?.notify("session/cancel", { sessionId });
    }
    this.#onActivity();
  }

  /** The program has changed its options on its own: another model may have other levels of thinking. */
  #changeOptions(session: OpenedAgent, configOptions: NonNullable<SessionResult["configOptions"]>): void {
    const mode = configOptions.find(({ category }) => category === "mode");
    if (mode !== undefined && mode.currentValue !== this.#modeId) {
      this.#modeId = mode.currentValue;
      this.#tree?.reportAgain();
    }
    const apart = session.options.filter(({ id }) => id === modelsOption);
    session.options = [...offeredOptions({ configOptions }), ...apart];
    const current = session.options.filter(({ id }) => id !== modelsOption);
    for (const { id, current: value } of current) this.#optionValues[id] = value;
    this.#options.host.onOffers({ options: session.options });
  }

  async #prompt(turn: ExternalTurn, parts: PromptParts): Promise<PromptResult> {
    const { connection, session } = parts;
    const held: AgentMessage[] = [];
    let steering = Promise.resolve();
    if (session.canSteer) {
      turn.onSteering((take) => {
        const taken = take();
        this.#upTo = taken.at(-1)?.id ?? this.#upTo;
        parts.tree.reportAgain();
        const sent = this.#steer(taken, parts, held);
        steering = steering.then(() => sent);
      });
    }
    // Our tools read what the editor has.
    const unsaved = session.isGuarded ? [] : this.#options.host.unsavedFiles();
    const notes = [...conversationNote(parts.before), ...unsavedNote(unsaved)];
    const asked = promptOf(turn.prompts);
    // A command is one at the start of a prompt only.
    const prompt = isCommand(turn.prompts) ? [...asked, ...notes] : [...notes, ...asked];
    let result = await this.#ask(turn, prompt, parts);
    // It may say only after its answer what it did not take in while it worked.
    await steering;
    for (let rest = held.splice(0); rest.length > 0 && result.stopReason === "end_turn"; rest = held.splice(0)) {
      parts.tree.reportPrompt(result);
      result = await this.#ask(turn, promptOf(rest), parts);
      await steering;
    }
    if (connection.isOpen && parts.tree.hasRunning) await this.#waitForChildren(turn, parts);
    return result;
  }

  async #steer(messages: readonly AgentMessage[], { connection, session }: PromptParts, held: AgentMessage[]) {
    if (messages.length === 0) return;
    const params = {
      ...{ sessionId: session.sessionId, prompt: promptOf(messages) },
      _meta: { steering: { idleBehavior: "promptRequired" } },
    };
    const signal = AbortSignal.timeout(this.#limits.startMs);
    const answer = await connection
      .request("_session/steering", params, { result: steeringResultSchema, signal })
      .catch(() => undefined);
    if (answer?.outcome !== "injected" && answer?.outcome !== "startedNewTurn") held.push(...messages);
  }

  /** One prompt, to its answer: as long as it shows a sign of life, is not stopped and has something of its budget left. */
  async #ask(turn: ExternalTurn, prompt: object[], { connection, session }: PromptParts): Promise<PromptResult> {
    const { host, definition } = this.#options;
    const { sessionId } = session;
    const ended = new AbortController();
    let isUsedUp = false;
    const cancel = async () => {
      connection.notify("session/cancel", { sessionId });
      this.#requests.withdraw();
      await firstOf(new Promise<void>((resolve) => onAbort(ended.signal, resolve)), this.#limits.cancelMs);
      // It does not heed it, so it can't be left running.
      if (!ended.signal.aborted) await this.close();
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
        if (connection.silentMs < this.#limits.silentMs || this.#isWaiting) return;
        this.#silence = true;
        void this.close();
      },
      Math.min(1_000, this.#limits.silentMs),
    );
    try {
      // It is canceled by a notification of its own, so that its answer still comes.
      const signal = new AbortController().signal;
      return await connection.request("session/prompt", { sessionId, prompt }, { result: promptResultSchema, signal });
    } catch (error) {
      // What is of no use any more does not go on.
      if (!connection.isOpen) await this.close();
      if (turn.signal.aborted) throw turn.signal.reason;
      if (isUsedUp) return { stopReason: "cancelled" };
      const name = definition.name;
      const [last = ""] = connection.log.slice(-1);
      const reason = this.#silence ? t("It gave no sign of life.") : textOfError(error);
      throw new AgentError("provider", [t("{0} failed: {1}", name, reason), visibleLine(last, 300)].join(" ").trim());
    } finally {
      ended.abort();
      this.#silence = false;
      this.#onActivity = () => {};
      clearInterval(watch);
      listening.dispose();
    }
  }

  /** Those that it spawned may go on after it has answered. */
  async #waitForChildren(turn: ExternalTurn, { connection, tree }: PromptParts): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      const isSilent = connection.silentMs > this.#limits.childrenMs && !this.#isWaiting;
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

  #conclude(turn: ExternalTurn, tree: SessionTree, { stopReason }: PromptResult): AssistantMessage | undefined {
    const { name } = this.#options.definition;
    const failed = (reason: string) => {
      tree.close("error", reason);
      return new AgentError("provider", reason);
    };
    if (turn.signal.aborted) throw turn.signal.reason;
    switch (stopReason) {
      case "refusal":
        throw failed(t("{0} refuses to go on.", name));
      case "max_tokens":
        throw failed(t("The answer of {0} reached its length limit.", name));
      case "max_turn_requests":
        turn.stop("limit", { limit: "turns", limitText: t("{0} has made as many requests as it may.", name) });
        break;
      case "cancelled": {
        if (this.#options.host.usedUp(turn.agent.meta.id) !== undefined) break;
        // By itself: Codex gives up its turn when something is not allowed.
        const { rejected } = this.#requests;
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

interface PromptParts {
  connection: AgentConnection;
  session: OpenedAgent;
  tree: SessionTree;
  /** What was said before its session began. */
  before: readonly AgentMessage[];
}

/** Whether a session knows the conversation as it is: a rewind removes messages of it, another model adds some. */
function knowsAll(name: string, { earlier, prompts }: ExternalTurn, upTo: string | undefined): boolean {
  if (upTo === undefined) return true;
  const all = [...earlier, ...prompts];
  const at = all.findIndex(({ id }) => id === upTo);
  const isOwn = (message: AgentMessage) =>
    message.role !== "assistant" || (message.provider === foreignProviderId && message.model === name);
  return at >= 0 && earlier.slice(at).every(isOwn);
}

function isCommand([first]: readonly AgentMessage[]): boolean {
  return first?.role === "user" && /^\/[\w-]/.test(textOf(first));
}

const maxConversationLength = 60_000;

/** What users and models said before, without their calls; the latest of it where it is long. */
function conversationNote(messages: readonly AgentMessage[]): object[] {
  const said = messages.flatMap((message) => {
    const text = message.role === "toolResult" ? "" : textOf(message).trim();
    return text === "" ? [] : [`${message.role === "assistant" ? "Assistant" : "User"}: ${text}`];
  });
  if (said.length === 0) return [];
  const text = said.join("\n\n").slice(-maxConversationLength);
  return [{ type: "text", text: `The conversation so far:\n<conversation>\n${text}\n</conversation>` }];
}

const goOn = "Your work was cut off. Go on where it stopped.";

const maxNamedFiles = 50;

function unsavedNote(paths: readonly string[]): object[] {
  if (paths.length === 0) return [];
  const named = paths.slice(0, maxNamedFiles).join(", ");
  const text = `The editor has unsaved changes in ${named}: what is on the disk there is older. Read and write these files through the client, or leave them alone.`;
  return [{ type: "text", text }];
}

/** The messages as they are sent: texts and images. */
function promptOf(messages: readonly AgentMessage[]): object[] {
  const blocks = messages.flatMap((message) => {
    if (message.role !== "user") return [{ type: "text", text: textOf(message) }];
    return message.content.map((part) =>
      part.type === "text"
        ? { type: "text", text: part.text }
        : { type: "image", mimeType: part.mimeType, data: part.data },
    );
  });
  return blocks.length > 0 ? blocks : [{ type: "text", text: goOn }];
}

function textOfError(error: unknown): string {
  return visibleLine(error instanceof Error ? error.message : String(error), 1_000);
}
