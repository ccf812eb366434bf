import { join } from "node:path";
import type { AgentEvent } from "../../../agent/index.ts";
import type { PermissionQueue } from "../../permissions/permissionQueue.ts";
import { Commands, type NamedCommand } from "../../processes/commands.ts";
import { OutputStore } from "../../processes/outputStore.ts";
import type { CommandDependencies } from "../../tools/commandDependencies.ts";
import type { Chat } from "../chat.ts";

export interface ChatCommandsOptions {
  permissions: PermissionQueue;
  /** Where long outputs go, in a folder for each chat. */
  storage: string;
  /** Variables that hold keys of providers, as the settings name them now. */
  keyNames(): readonly string[];
  /** Where a command runs. */
  folder: CommandDependencies["folder"];
  /** Keeps what commands change for a rewind. Default: nothing is kept. */
  changes?: CommandDependencies["changes"];
}

/** The commands of each chat: they are allowed in its panel, and end with it. */
export class ChatCommands {
  readonly #options: ChatCommandsOptions;
  readonly #chats = new WeakMap<Chat, CommandDependencies>();

  constructor(options: ChatCommandsOptions) {
    this.#options = options;
  }

  of(chat: Chat): CommandDependencies {
    const known = this.#chats.get(chat);
    if (known !== undefined) return known;
    const { permissions, storage, keyNames, folder, changes } = this.#options;
    const outputs = new OutputStore(join(storage, chat.id));
    const commands = new Commands({ outputs, environment: process.env, keyNames });
    chat.own(commands);
    const askPermission = permissions.askFor(chat);
    const dependencies = { askPermission, commands, outputs, folder, ...(changes && { changes }) };
    this.#chats.set(chat, dependencies);
    return dependencies;
  }

  /** Whether something that its agents left behind still runs. */
  hasRunning(chat: Chat): boolean {
    return (this.#chats.get(chat)?.commands.runningIds().length ?? 0) > 0;
  }

  /** What a tool call ran, as long as its output is known. */
  ofCall(chat: Chat, callId: string): NamedCommand | undefined {
    return this.#chats.get(chat)?.commands.findByCall(callId);
  }

  /** Ends what an agent left running when it was stopped, and what a sub-agent left when it has reported. */
  observe(chat: Chat, event: AgentEvent): void {
    if (event.type !== "agent_end" || (event.agent.depth === 0 && event.reason !== "aborted")) return;
    void this.#chats.get(chat)?.commands.stopOf(event.agent.id);
  }
}
