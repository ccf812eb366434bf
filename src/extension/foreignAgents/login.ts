import { t } from "@vscode/l10n";
import * as z from "zod";
import { errorText } from "../../agent/vocabulary/errors.ts";
import { visibleLine } from "../approvals/requestText.ts";
import { launchText } from "../mcp/configuration.ts";
import type { Prompts } from "../models/setup/prompts.ts";
import { AgentConnection } from "./connection.ts";
import { type ForeignAgentDefinition, foreignEnvironment } from "./definitions.ts";
import { initializeParameters } from "./openAgent.ts";
import type { ProgramCatalog, ProgramLogin } from "./programOffers.ts";
import { initializeResultSchema } from "./protocol.ts";

/** How long the user may take in the browser that a program opens. */
const loginMs = 15 * 60_000;

/** A program that is run in a terminal, as it is shown to the user before. */
export interface TerminalLogin {
  name: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

export interface LoginParts {
  prompts: Pick<Prompts, "showMessage" | "during">;
  catalog: Pick<ProgramCatalog, "change">;
  definition: ForeignAgentDefinition;
  /** Where it is started. */
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Whether the user wants to run it; `detail` is all of it. */
  confirm(question: { message: string; detail: string }): Promise<boolean>;
  /** Resolves with the exit code when the terminal is closed. */
  runInTerminal(login: TerminalLogin): Promise<number | undefined>;
}

/** The command line of a login in a terminal; undefined for one that the program does on its own. */
export function terminalLogin(definition: ForeignAgentDefinition, login: ProgramLogin): TerminalLogin | undefined {
  const { name, terminal } = login;
  if (terminal === undefined) return undefined;
  const { command = definition.command, args, env } = terminal;
  return { name, command, args: terminal.command === undefined ? [...definition.args, ...args] : args, env };
}

/** All that is run, with nothing hidden in it: variables make programs load something, too. */
export function commandText({ command, args, env }: TerminalLogin): string {
  return launchText({ launch: { type: "stdio", command, args: [...args], env } });
}

/** Logs in with the program's own login: what it stores is its own. */
export async function logIn(login: ProgramLogin, parts: LoginParts): Promise<void> {
  const { prompts, catalog, definition, confirm, runInTerminal } = parts;
  const inTerminal = terminalLogin(definition, login);
  try {
    if (inTerminal !== undefined) {
      const message = t("Run this in a terminal to log in to {0}?", definition.name);
      if (!(await confirm({ message, detail: commandText(inTerminal) }))) return;
      const code = await runInTerminal(inTerminal);
      if (code !== 0) return;
    } else {
      const title = t("{0} logs in: {1}", definition.name, login.name);
      await prompts.during(title, (signal) => authenticate(login.id, parts, signal));
    }
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") return;
    const reason = visibleLine(errorText(error), 500);
    await prompts.showMessage(t("{0} could not log in: {1}", definition.name, reason));
    return;
  }
  await catalog.change(definition.name, { needsLogin: false });
  await prompts.showMessage(t("{0} is logged in.", definition.name));
}

/** In a process of its own, which ends with it. */
async function authenticate(
  methodId: string,
  { definition, cwd, environment }: LoginParts,
  canceled: AbortSignal,
): Promise<void> {
  const connection = new AgentConnection({
    ...{ command: definition.command, args: definition.args, cwd },
    environment: (mark) => foreignEnvironment(definition, environment, mark),
    onNotification: () => {},
    onRequest: () => Promise.reject(new Error("Nothing is asked for during a login.")),
    onEnd: () => {},
  });
  const signal = AbortSignal.any([canceled, AbortSignal.timeout(loginMs)]);
  try {
    await connection.start();
    await connection.request("initialize", initializeParameters, { result: initializeResultSchema, signal });
    await connection.request("authenticate", { methodId }, { result: z.unknown(), signal });
  } finally {
    await connection.close();
  }
}
