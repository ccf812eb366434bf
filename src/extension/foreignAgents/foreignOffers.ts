import type { AgentOptions, Middleware } from "../../agent/index.ts";
import type { TakeTurn } from "../../agent/vocabulary/externalTurn.ts";
import type { HostEvent } from "../../protocol/hostEvents.ts";
import type { HostState } from "../../protocol/hostState.ts";
import type { PermissionMode } from "../../protocol/modes.ts";
import type { CommandDependencies, ToolDependencies } from "../tools/dependencies.ts";
import { type ForeignAgentDefinition, foreignProviderId, parseForeignAgents } from "./definitions.ts";
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
  adoptWrites: DirectWrites["adopt"];
  /** Absolute paths of files whose text in the editor is not saved. */
  unsavedFiles(): readonly string[];
  warn(message: string): void;
}

/** Agents of other programs that work can be delegated to. What knows their protocol is loaded by the first that works. */
export class ForeignOffers {
  readonly #options: ForeignOffersOptions;
  readonly #sessions = new WeakMap<ForeignChat, Set<ForeignSession>>();

  constructor(options: ForeignOffersOptions) {
    this.#options = options;
  }

  /** `parts` are asked for when one of them is given work. */
  offers(
    chat: ForeignChat,
    parts: () => ForeignChatParts,
  ): { name: string; description: string; configuration(): AgentOptions }[] {
    return parseForeignAgents(this.#options.definitions()).agents.map((definition) => ({
      name: definition.name,
      description: `An agent of another program, with its own model and tools: ${definition.name}. It works in the same folder. Give it whole tasks.`,
      configuration: () => this.#configuration(chat, definition, parts()),
    }));
  }

  /** Stops an agent that one of them spawned. */
  stopSpawned(chat: ForeignChat, agentId: string): void {
    for (const session of this.#sessions.get(chat) ?? []) if (session.cancelChild(agentId)) return;
  }

  /** Its process ends with its run: the agent that delegated has its answer then. */
  #configuration(chat: ForeignChat, definition: ForeignAgentDefinition, parts: ForeignChatParts): AgentOptions {
    let starting: Promise<ForeignSession> | undefined;
    const takeTurn: TakeTurn = async (turn) => {
      starting ??= this.#start(chat, definition, { parts, agentId: turn.agent.meta.id });
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
      externalTurn: () => takeTurn,
      // It is canceled, and ended where it does not heed that.
      abortGraceMs: 5_000,
      turnRetries: 0,
    };
  }

  async #start(
    chat: ForeignChat,
    definition: ForeignAgentDefinition,
    { parts, agentId }: { parts: ForeignChatParts; agentId: string },
  ): Promise<ForeignSession> {
    const { environment, adoptWrites, unsavedFiles, warn } = this.#options;
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
        unsavedFiles,
        warn,
      },
      writes: { adopt: adoptWrites, lineage: parts.lineage },
    };
    const session = new Session({
      ...{ definition, cwd, environment, permissionMode: parts.permissionMode, host: createForeignHost(hostParts) },
      ...(known?.program === definition.name && { earlierSessionId: known.sessionId }),
    });
    const all = this.#sessions.get(chat) ?? new Set();
    if (all.size === 0) this.#sessions.set(chat, all);
    all.add(session);
    chat.own({ dispose: () => session.dispose() });
    return session;
  }
}
