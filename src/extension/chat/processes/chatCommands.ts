import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { t } from "@vscode/l10n";
import type { AgentEvent } from "../../../agent/index.ts";
import type { BackgroundCommand, CommandOutcome } from "../../../protocol/hostEvents.ts";
import type { PermissionMode } from "../../../protocol/modes.ts";
import { CommandTrust } from "../../approvals/commandTrust.ts";
import type { PermissionRequest } from "../../approvals/permission.ts";
import type { PermissionQueue } from "../../approvals/permissionQueue.ts";
import { visibleText } from "../../approvals/requestText.ts";
import { runsUnasked, type SandboxGrant } from "../../approvals/sandboxGrant.ts";
import type { OtherFolder } from "../../isolation/isolatedAgents.ts";
import { CommandSandbox, type CommandSandboxOptions } from "../../sandbox/commandSandbox.ts";
import { Commands, type NamedCommand } from "../../terminal/commands.ts";
import { OutputStore } from "../../terminal/outputStore.ts";
import { PausedCommands } from "../../terminal/pausedCommands.ts";
import type { CommandEnd } from "../../terminal/runningCommand.ts";
import { endText } from "../../tools/commandText.ts";
import type { CommandDependencies } from "../../tools/dependencies.ts";
import type { Chat } from "../chat.ts";

export interface ChatCommandsOptions {
  permissions: PermissionQueue;
  /** Where long outputs go, in a folder for each chat. */
  storage: string;
  /** Variables that hold keys of providers, as the settings name them now. */
  keyNames(): readonly string[];
  /** Where a command runs. */
  folder: CommandDependencies["folder"];
  /** Names from the root agent down. */
  agentPath(agentId: string): readonly string[];
  /** Keeps what commands change for a rewind. Default: nothing is kept. */
  changes?: CommandDependencies["changes"];
  /** What lets them pause. Default: they never do. */
  paused?: PausedCommands;
  /** What its sandbox is made with. Default: commands run without one. */
  sandbox?: ChatSandboxOptions;
}

export interface ChatSandboxOptions extends Omit<CommandSandboxOptions, "onUnavailable"> {
  mode(): PermissionMode;
  grant: SandboxGrant;
  /** Called for each command that would run in the sandbox if there were one. */
  onUnavailable(chat: Chat, reason: string): void;
}

/** A command that runs in the background, and the chat that it ends with. */
interface Background {
  chat: Chat;
  command: NamedCommand;
  shown: BackgroundCommand;
}

/** The commands of each chat: they are allowed in its panel, and end with it. */
export class ChatCommands {
  readonly #options: ChatCommandsOptions;
  readonly #chats = new WeakMap<Chat, CommandDependencies>();
  /** Of agents that work in other folders than the workspace's. */
  readonly #elsewhere = new WeakMap<Chat, Set<Commands>>();
  readonly #background = new Map<string, Background>();
  readonly #listeners = new Set<() => void>();
  /** Of all chats: what the agents of one change, those of another may run. */
  readonly #trust = new CommandTrust();

  constructor(options: ChatCommandsOptions) {
    this.#options = options;
  }

  /** For commands that no agent asked for: beside those of the chat's agents, whose ids and count they leave alone. */
  apart(chat: Chat, name: string): Pick<CommandDependencies, "commands" | "sandbox"> {
    const { storage, keyNames, sandbox: sandboxing } = this.#options;
    const sandbox =
      sandboxing &&
      new CommandSandbox({ ...sandboxing, onUnavailable: (reason) => sandboxing.onUnavailable(chat, reason) });
    const outputs = new OutputStore(join(storage, chat.id, name));
    const commands = new Commands({ outputs, environment: process.env, keyNames, ...(sandbox && { sandbox }) });
    chat.own(commands);
    return { commands, ...(sandbox && { sandbox }) };
  }

  /** For agents of a chat that work in another folder, with a sandbox that sees that one. They end with `dispose`. */
  elsewhere(
    chat: Chat,
    { name, folder, readable, commandFolder, onStart }: OtherFolder,
  ): CommandDependencies & { dispose(): void } {
    const { storage, keyNames, sandbox: sandboxing, paused = new PausedCommands() } = this.#options;
    const { changes: _, ...own } = this.of(chat);
    const sandbox =
      sandboxing &&
      new CommandSandbox({
        ...{ ...sandboxing, roots: () => [folder], readable },
        onUnavailable: (reason) => sandboxing.onUnavailable(chat, reason),
      });
    const outputs = new OutputStore(join(storage, chat.id, name));
    const onBackground = (command: NamedCommand) => this.#follow(chat, command);
    const commands = new Commands({
      ...{ outputs, environment: process.env, keyNames, onBackground, mayStart: () => paused.going() },
      ...{ ...(onStart && { onStart }), ...(sandbox && { sandbox }) },
    });
    const others = this.#elsewhere.get(chat) ?? new Set();
    this.#elsewhere.set(chat, others.add(commands));
    // Outside the sandbox they reach the workspace as well.
    const exclude = paused.include((all) => commands.processes(all));
    const dispose = () => {
      exclude();
      commands.dispose();
      others.delete(commands);
    };
    chat.own({ dispose });
    const { sandbox: _shared, ...rest } = own;
    return {
      ...{ ...rest, commands, outputs, ...(sandbox && { sandbox }) },
      folder: commandFolder,
      dispose,
    };
  }

  of(chat: Chat): CommandDependencies {
    const known = this.#chats.get(chat);
    if (known !== undefined) return known;
    const { permissions, storage, keyNames, folder, changes } = this.#options;
    const sandboxing = this.#options.sandbox;
    const sandbox =
      sandboxing &&
      new CommandSandbox({ ...sandboxing, onUnavailable: (reason) => sandboxing.onUnavailable(chat, reason) });
    chat.grants.share({ trust: this.#trust, ...(sandboxing && { sandbox: sandboxing.grant }) });
    const outputs = new OutputStore(join(storage, chat.id));
    const onBackground = (command: NamedCommand) => this.#follow(chat, command);
    const environment = process.env;
    const { paused = new PausedCommands() } = this.#options;
    const commands = new Commands({
      ...{ outputs, environment, keyNames, onBackground, mayStart: () => paused.going() },
      ...(sandbox && { sandbox }),
    });
    const exclude = paused.include((all) => commands.processes(all));
    chat.own({
      dispose: () => {
        this.#forget(chat);
        exclude();
        commands.dispose();
      },
    });
    const mayRun = sandboxing && ((request: PermissionRequest) => runsUnasked(request, sandboxing.mode()));
    const dependencies = {
      askPermission: permissions.askFor(chat, mayRun),
      commands,
      outputs,
      folder,
      ...(changes && { changes: lapsing(changes, chat) }),
      ...(sandbox && { sandbox }),
    };
    this.#chats.set(chat, dependencies);
    return dependencies;
  }

  /** Whether something that its agents left behind still runs. */
  hasRunning(chat: Chat): boolean {
    return (this.#chats.get(chat)?.commands.runningIds().length ?? 0) > 0;
  }

  /** What a tool call ran, as long as its output is known. */
  ofCall(chat: Chat, callId: string): NamedCommand | undefined {
    const others = [...(this.#elsewhere.get(chat) ?? [])];
    return (
      this.#chats.get(chat)?.commands.findByCall(callId) ??
      others.map((commands) => commands.findByCall(callId)).find((command) => command !== undefined)
    );
  }

  /** A command that runs in the background, by the id that panels know it by. */
  background(id: string): NamedCommand | undefined {
    return this.#background.get(id)?.command;
  }

  /** All that run in the background, oldest first, as a chat's panel shows them. */
  runningFor(chat: Chat): BackgroundCommand[] {
    return [...this.#background.values()].map(({ chat: own, shown }) =>
      own === chat ? shown : { ...shown, chatTitle: own.title },
    );
  }

  /** Called when a command starts in the background, and when one has ended. */
  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** Ends what an agent left running when it was stopped, and what a sub-agent left when it has reported. */
  observe(chat: Chat, event: AgentEvent): void {
    if (event.type !== "agent_end" || (event.agent.depth === 0 && event.reason !== "aborted")) return;
    void this.#chats.get(chat)?.commands.stopOf(event.agent.id);
    for (const commands of this.#elsewhere.get(chat) ?? []) void commands.stopOf(event.agent.id);
  }

  #follow(chat: Chat, command: NamedCommand): void {
    const { agentId, callId } = command;
    const id = randomUUID();
    const agentPath = [...this.#options.agentPath(agentId)];
    const shown = { id, callId, agentId, agentPath, command: command.command, startedAt: Date.now() };
    this.#background.set(id, { chat, command, shown });
    this.#notify();
    void command.ended.then((end) => {
      // What ends with its chat is reported when that is opened again.
      if (!this.#background.delete(id)) return;
      chat.emit({ type: "command_ended", callId, outcome: outcomeOf(end) });
      this.#notify();
    });
  }

  #forget(chat: Chat): void {
    for (const [id, background] of this.#background) if (background.chat === chat) this.#background.delete(id);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** What a command changed may decide what later ones run: those are asked for again. */
function lapsing(changes: NonNullable<CommandDependencies["changes"]>, { grants }: Chat): typeof changes {
  return {
    async begin(agentId, onEarlier) {
      const end = await changes.begin(
        agentId,
        onEarlier &&
          (async (earlier) => {
            grants.lapseCommands([...earlier.found.keys(), ...earlier.others]);
            await onEarlier(earlier);
          }),
      );
      return async () => {
        const found = await end();
        grants.lapseCommands(found.changed ?? found.paths);
        return found;
      };
    },
  };
}

function outcomeOf({ cause, exitCode, signal, durationMs }: CommandEnd): CommandOutcome {
  return {
    cause,
    ...(exitCode !== null && { exitCode }),
    ...(signal !== null && { signal }),
    durationMs: Math.round(durationMs),
  };
}

const maxShown = 512 * 1_024;

/**
 * Writes what a command has printed, what it prints from now on, and how it ended, as a terminal shows text. The
 * output has no control sequences any more, and those of the command's own text are spelt out: nothing that is written
 * here moves the cursor or changes the terminal. Until the result is called.
 */
export function feedTerminal(command: NamedCommand, write: (text: string) => void): () => void {
  const { output } = command;
  const writeText = (text: string) => write(text.replaceAll("\n", "\r\n"));
  const shown = output.tail(maxShown);
  const omitted = output.length - Buffer.byteLength(shown);
  writeText(`$ ${visibleText(command.command)}\n`);
  if (omitted > 0) writeText(`${t("[… {0} bytes before this are not shown.]", omitted)}\n`);
  writeText(shown);
  let isFed = true;
  const unfollow = output.follow(writeText);
  void command.ended.then((end) => {
    if (isFed) writeText(`\n[${endText(end).trimEnd()}]\n`);
  });
  return () => {
    isFed = false;
    unfollow();
  };
}
