import { ToolError } from "../common/userError.ts";
import type { Commands, NamedCommand } from "../terminal/commands.ts";

/** The command of that id; an unknown one is an error that names those that run. */
export function commandOf(commands: Commands, id: string): NamedCommand {
  const command = commands.find(id);
  if (command !== undefined) return command;
  const running = commands.runningIds();
  const known = running.length === 0 ? "No command is running." : `Running: ${running.join(", ")}.`;
  throw new ToolError(`There is no command ${JSON.stringify(id)}. ${known}`);
}
