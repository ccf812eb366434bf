import * as z from "zod";
import { commandEnvironment } from "../terminal/environment.ts";

/** Set for every agent: no other one knows them. */
const fixedVariables: Readonly<Record<string, string>> = {
  OPENCODE_PERMISSION: JSON.stringify({ edit: "ask", bash: "ask", webfetch: "ask" }),
};

/** An agent of another program as the user's settings name it. */
export interface ForeignAgentDefinition {
  /** By which it can be delegated to. */
  name: string;
  command: string;
  args: readonly string[];
  /** Names of variables that it gets beside those that any command gets. */
  env: readonly string[];
  /** It works with Arbor's tools in place of its own. */
  guarded: boolean;
}

const entry = z.object({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.array(z.string()).default([]),
  guarded: z.boolean().default(false),
});

const namePattern = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u;

/** The agents of the setting, sorted by name; what makes no sense is named and left out. */
export function parseForeignAgents(setting: Readonly<Record<string, unknown>>): {
  agents: ForeignAgentDefinition[];
  problems: string[];
} {
  const agents: ForeignAgentDefinition[] = [];
  const problems: string[] = [];
  for (const [name, value] of Object.entries(setting)) {
    const { success, data } = entry.safeParse(value);
    if (success && namePattern.test(name)) agents.push({ name, ...data });
    else problems.push(name);
  }
  return { agents: agents.sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
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
