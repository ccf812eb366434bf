import { commandEnvironment } from "../terminal/environment.ts";
import { fixedVariables } from "./modes.ts";

/** An agent of another program as the user's settings name it. */
export interface ForeignAgentDefinition {
  /** By which it can be delegated to. */
  name: string;
  command: string;
  args: readonly string[];
  /** Names of variables that it gets beside those that any command gets. */
  env: readonly string[];
}

/** What any command gets, and the variables that the user has named for this agent. */
export function foreignEnvironment(
  { env }: Pick<ForeignAgentDefinition, "env">,
  base: Readonly<Record<string, string | undefined>>,
  mark: string,
): Record<string, string> {
  const named = env.flatMap((name) => (base[name] === undefined ? [] : [[name, base[name]] as const]));
  return { ...commandEnvironment(base, { mark, keyNames: [] }), ...fixedVariables, ...Object.fromEntries(named) };
}
