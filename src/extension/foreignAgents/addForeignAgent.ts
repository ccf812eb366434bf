import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join, relative } from "node:path";
import { t } from "@vscode/l10n";
import type { Choice, Prompts } from "../models/setup/prompts.ts";

/** A program that speaks the protocol, as it is called where it is installed. */
interface KnownProgram {
  name: string;
  program: string;
  args: readonly string[];
  /** Variables that may hold its key; a login of its own needs none. */
  env: readonly string[];
  /** It can work with Arbor's tools in place of its own. */
  canBeGuarded?: true;
}

const knownPrograms: readonly KnownProgram[] = [
  { name: "Claude Code", program: "claude-agent-acp", args: [], env: ["ANTHROPIC_API_KEY"], canBeGuarded: true },
  { name: "Codex", program: "codex-acp", args: [], env: ["OPENAI_API_KEY"] },
  { name: "Gemini CLI", program: "gemini", args: ["--acp"], env: ["GEMINI_API_KEY"] },
  { name: "opencode", program: "opencode", args: ["acp"], env: [] },
];

export interface ChooseForeignAgentParts {
  prompts: Pick<Prompts, "choose" | "showMessage">;
  environment: Readonly<Record<string, string | undefined>>;
  /** The setting as it is. */
  known: Readonly<Record<string, unknown>>;
  /** Of the workspace: what lies there is not offered, since its author chose it. */
  folders: readonly string[];
  save(agents: Record<string, unknown>): Promise<void>;
}

/** Nothing is installed and nothing is run: the exact command of what is there is written to the settings. */
export async function chooseForeignAgent(parts: ChooseForeignAgentParts): Promise<void> {
  const { prompts, known, save } = parts;
  const found = await installedPrograms(parts);
  if (found.length === 0) {
    const programs = knownPrograms.map(({ program }) => program).join(", ");
    await prompts.showMessage(
      t(
        "No agent that speaks the Agent Client Protocol is on your PATH: {0}. Install one, or name its command in arbor.foreignAgents.",
        programs,
      ),
    );
    return;
  }
  const choices = found.flatMap((agent): Choice<{ agent: typeof agent; guarded: boolean }>[] => {
    const { name, command, args } = agent;
    const detail = [command, ...args].join(" ");
    const replaces = Object.hasOwn(known, name) ? [t("replaces the one in your settings")] : [];
    const choice = (label: string, how: readonly string[], guarded: boolean) => {
      const description = [...how, ...replaces].join(", ");
      return { label, detail, ...(description !== "" && { description }), value: { agent, guarded } };
    };
    const own = choice(name, agent.canBeGuarded === true ? [t("with its own tools")] : [], false);
    if (agent.canBeGuarded !== true) return [own];
    return [choice(t("{0}, guarded", name), [t("with Arbor's tools in place of its own")], true), own];
  });
  const title = t("Arbor: Add a Foreign Agent");
  const chosen = await prompts.choose({ title, placeholder: t("Choose an agent that is installed"), choices });
  if (chosen === undefined) return;
  const { name, command, args, env } = chosen.agent;
  const guarded = chosen.guarded && { guarded: true };
  await save({ ...known, [name]: { command, args: [...args], env: [...env], ...guarded } });
  await prompts.showMessage(t("{0} is added: agents can give it work now.", name));
}

async function installedPrograms({
  environment,
  folders,
}: Pick<ChooseForeignAgentParts, "environment" | "folders">): Promise<(KnownProgram & { command: string })[]> {
  const paths = (environment.PATH ?? environment.Path ?? "").split(delimiter).filter((path) => isAbsolute(path));
  const own = paths.filter((path) => !folders.some((folder) => isBelow(path, folder)));
  const endings = process.platform === "win32" ? [".cmd", ".exe"] : [""];
  const found: (KnownProgram & { command: string })[] = [];
  for (const program of knownPrograms) {
    for (const command of own.flatMap((path) => endings.map((ending) => join(path, `${program.program}${ending}`)))) {
      if (!(await isRunnable(command))) continue;
      found.push({ ...program, command });
      break;
    }
  }
  return found;
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith("..") && !isAbsolute(way);
}

async function isRunnable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
