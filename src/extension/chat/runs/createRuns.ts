import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { demoProviderId } from "../../models/providers.ts";
import type { ArborSettings } from "../../settings/settings.ts";
import { registerTraces } from "../../traces/registerTraces.ts";
import { type ChatRunsDependencies, Runs, type RunsChat } from "./chatRuns.ts";

export interface CreateRunsDependencies<Chat extends RunsChat>
  extends Pick<ChatRunsDependencies, "agentPath" | "filesSeenBy"> {
  settings(): ArborSettings;
  /** The chat that commands are about. */
  currentChat(): Chat;
  storageFolder: string;
  /** Of the extension. */
  version: string;
  warn(message: string): void;
  reportFailure(error: unknown): void;
}

/** What keeps the runs of all chats in order, with its commands. */
export function createRuns<Chat extends RunsChat>(
  dependencies: CreateRunsDependencies<Chat>,
): { runs: Runs<Chat>; dispose(): void } {
  const { settings, currentChat, reportFailure } = dependencies;
  const traces = registerTraces({ ...dependencies, settings: () => settings().trace });
  const runs = new Runs<Chat>({
    agentPath: dependencies.agentPath,
    filesSeenBy: dependencies.filesSeenBy,
    // The demo model follows what it has read by rules, and has no window that could be full.
    compactionThreshold: ({ provider }) => (provider === demoProviderId ? 0 : settings().compactionThreshold),
    defaultBudget: () => ({ turns: settings().limits.maxTurns, cost: settings().limits.maxCost }),
    observe: (event) => traces.recorder.observe(event),
    showTrace: () => traces.show(),
    now: Date.now,
    newId: randomUUID,
  });
  const register = (name: string, run: (input: unknown) => Promise<void>) =>
    vscode.commands.registerCommand(name, (input: unknown) => run(input).catch(reportFailure));
  const commands = [
    register("arbor.compact", (agentId) =>
      runs.of(currentChat()).compact(typeof agentId === "string" ? agentId : undefined),
    ),
    register("arbor.showTrace", () => traces.show()),
  ];
  return { runs, dispose: () => vscode.Disposable.from(traces, ...commands).dispose() };
}
