import { t } from "@vscode/l10n";
import type { AgentOptions, Middleware } from "../../agent/index.ts";
import { AgentError } from "../../agent/vocabulary/errors.ts";
import type { ExternalTurn, TakeTurn } from "../../agent/vocabulary/externalTurn.ts";
import type { Model } from "../../agent/vocabulary/model.ts";
import type { HostEvent } from "../../protocol/hostEvents.ts";
import type { HostState } from "../../protocol/hostState.ts";
import type { PermissionMode } from "../../protocol/modes.ts";
import { isMcpTool } from "../mcp/toolNames.ts";
import { foreignProviderId } from "../models/providers.ts";
import type { CommandDependencies, ToolDependencies } from "../tools/dependencies.ts";
import { readOnlyToolNames } from "../tools/index.ts";
import { type ForeignAgentDefinition, parseForeignAgents } from "./definitions.ts";
import type { DirectWrites, ForeignHostParts } from "./foreignHost.ts";
import type { ForeignSession, ForeignSessionOptions } from "./foreignSession.ts";

/** What of a chat its agents of other programs work with. */
export interface ForeignChatParts {
  tools: ToolDependencies;
  commands: CommandDependencies;
  /** Ids from the root agent down. */
  lineage(agentId: string): readonly string[];
  permissionMode(): PermissionMode;
  effects: NonNullable<AgentOptions["effects"]>;
  usedUp: ForeignSessionOptions["host"]["usedUp"];
}

/** The parts of a chat that learn what is known of them. */
export interface ForeignChat {
  readonly host: Pick<HostState, "foreignAgents">;
  emit(event: HostEvent): void;
  own(part: { dispose(): void }): void;
}

export interface ForeignOffersOptions {
  /** As the settings name them now. */
  definitions(): Readonly<Record<string, unknown>>;
  environment: Readonly<Record<string, string | undefined>>;
  /** What programs offer of themselves. */
  catalog: ForeignHostParts["catalog"];
  adoptWrites: DirectWrites["adopt"];
  /** Absolute paths of files whose text in the editor is not saved. */
  unsavedFiles(): readonly string[];
  warn(message: string): void;
}

interface MainSession {
  /** Of another definition it is another one. */
  key: string;
  starting: Promise<ForeignSession>;
}

/** Agents of other programs that work can be delegated to. What knows their protocol is loaded by the first that works. */
export class ForeignOffers {
  readonly #options: ForeignOffersOptions;
  readonly #sessions = new WeakMap<ForeignChat, Set<ForeignSession>>();
  /** Those that are the main agents of their chats. */
  readonly #main = new WeakMap<ForeignChat, MainSession>();

  constructor(options: ForeignOffersOptions) {
    this.#options = options;
  }

  /** `parts` are asked for when one of them is given work. */
  offers(
    chat: ForeignChat,
    parts: () => ForeignChatParts,
  ): { name: string; description: string; isGuarded: boolean; configuration(): AgentOptions }[] {
    return parseForeignAgents(this.#options.definitions()).agents.map((definition) => ({
      name: definition.name,
      isGuarded: definition.guarded,
      description: `An agent of another program, with its own model and tools: ${definition.name}. It works in the same folder. Give it whole tasks.`,
      configuration: () => this.#configuration(chat, definition, parts()),
    }));
  }

  /** How the main agent of a chat takes its turns, where another program is its model. Its process lives as long as the chat. */
  mainTurn(
    chat: ForeignChat,
    model: Model,
    parts: () => ForeignChatParts & { isTrusted: boolean },
  ): TakeTurn | undefined {
    if (model.provider !== foreignProviderId) return undefined;
    return async (turn) => {
      const { isTrusted, ...rest } = parts();
      if (!isTrusted) throw new AgentError("bad_input", t("{0} works in trusted workspaces only.", model.id));
      const { agents } = parseForeignAgents(this.#options.definitions());
      const definition = agents.find(({ name }) => name === model.id);
      if (definition === undefined) {
        throw new AgentError("bad_input", t("arbor.foreignAgents does not say how {0} is started.", model.id));
      }
      // One of our agents that has its parent's model.
      if (turn.agent.meta.depth > 0) return this.#subAgentTurn(chat, definition, { parts: rest, turn });
      const key = JSON.stringify(definition);
      let main = this.#main.get(chat);
      if (main?.key !== key) {
        this.#end(chat, main);
        main = { key, starting: this.#start(chat, definition, { parts: rest, agentId: turn.agent.meta.id }) };
        this.#main.set(chat, main);
        const started = main;
        // The next message tries again.
        started.starting.catch(() => {
          if (this.#main.get(chat) === started) this.#main.delete(chat);
        });
      }
      return (await main.starting).takeTurn(turn);
    };
  }

  /** Another model is the main agent of a chat from now on. */
  leaveMain(chat: ForeignChat, agentId: string): void {
    this.#end(chat, this.#main.get(chat));
    this.#main.delete(chat);
    const known = chat.host.foreignAgents[agentId];
    if (known !== undefined) chat.emit({ type: "foreign_agent", ...known, isLeft: true });
  }

  #end(chat: ForeignChat, main: MainSession | undefined): void {
    // That it could not be started was said by its turn.
    main?.starting.then(
      (session) => {
        this.#sessions.get(chat)?.delete(session);
        session.dispose();
      },
      () => {},
    );
  }

  /** Stops an agent that one of them spawned. */
  stopSpawned(chat: ForeignChat, agentId: string): void {
    for (const session of this.#sessions.get(chat) ?? []) if (session.cancelChild(agentId)) return;
  }

  /** Its process ends with its run: the agent that delegated has its answer then. */
  #configuration(chat: ForeignChat, definition: ForeignAgentDefinition, parts: ForeignChatParts): AgentOptions {
    let starting: Promise<ForeignSession> | undefined;
    let own: string | undefined;
    const takeTurn: TakeTurn = async (turn) => {
      own ??= turn.agent.meta.id;
      if (turn.agent.meta.id !== own) return this.#subAgentTurn(chat, definition, { parts, turn });
      starting ??= this.#start(chat, definition, { parts, agentId: own });
      return (await starting).takeTurn(turn);
    };
    const closing: Middleware = (next) => async (signal) => {
      try {
        return await next(signal);
      } finally {
        const session = await starting?.catch(() => undefined);
        if (session !== undefined) {
          this.#sessions.get(chat)?.delete(session);
          await session.close();
        }
      }
    };
    return {
      model: { id: definition.name, provider: foreignProviderId },
      effects: parts.effects,
      middleware: [closing],
      // Those that it delegates to have it too, and may have models of their own.
      externalTurn: ({ id, provider }) =>
        provider === foreignProviderId && id === definition.name ? takeTurn : undefined,
      // It is canceled, and ended where it does not heed that.
      abortGraceMs: 5_000,
      turnRetries: 0,
    };
  }

  /** A guarded agent's sub-agents are ours: with its model, in a session of their own for each turn. */
  async #subAgentTurn(
    chat: ForeignChat,
    definition: ForeignAgentDefinition,
    { parts, turn }: { parts: ForeignChatParts; turn: ExternalTurn },
  ): ReturnType<TakeTurn> {
    // With tools of its own it would not be held to those of the agent that it works as.
    if (!definition.guarded) {
      throw new AgentError("bad_input", t("{0} can work as another agent only where it is guarded.", definition.name));
    }
    const session = await this.#start(chat, definition, { parts, agentId: turn.agent.meta.id, isOurs: true });
    try {
      return await session.takeTurn(turn);
    } finally {
      this.#sessions.get(chat)?.delete(session);
      await session.close();
    }
  }

  async #start(
    chat: ForeignChat,
    definition: ForeignAgentDefinition,
    { parts, agentId, isOurs = false }: { parts: ForeignChatParts; agentId: string; isOurs?: boolean },
  ): Promise<ForeignSession> {
    const { environment, adoptWrites, catalog, unsavedFiles, warn } = this.#options;
    const folder = await parts.commands.folder(undefined);
    const cwd = folder.absolute;
    const [{ ForeignSession: Session }, { createForeignHost }] = await Promise.all([
      import("./foreignSession.ts"),
      import("./foreignHost.ts"),
    ]);
    const known = chat.host.foreignAgents[agentId];
    const hostParts: ForeignHostParts = {
      ...{
        definition,
        folder,
        chat,
        tools: parts.tools,
        commands: parts.commands,
        usedUp: parts.usedUp,
        permissionMode: parts.permissionMode,
        catalog,
        unsavedFiles,
        warn,
      },
      writes: { adopt: adoptWrites, lineage: parts.lineage },
    };
    const session = new Session({
      ...{ definition, cwd, environment, permissionMode: parts.permissionMode, host: createForeignHost(hostParts) },
      // The user's servers: they are asked about here, by server and tool, and get none of its settings.
      tools: { isOffered: isMcpTool, isReadOnly: (name) => readOnlyToolNames.includes(name) },
      isOurs,
      ...(known?.program === definition.name && { earlier: { sessionId: known.sessionId, upTo: known.upTo } }),
    });
    this.#sessionsOf(chat).add(session);
    return session;
  }

  /** Those that are at work end with the chat. */
  #sessionsOf(chat: ForeignChat): Set<ForeignSession> {
    const known = this.#sessions.get(chat);
    if (known !== undefined) return known;
    const all = new Set<ForeignSession>();
    this.#sessions.set(chat, all);
    chat.own({
      dispose() {
        for (const session of all) session.dispose();
      },
    });
    return all;
  }
}
