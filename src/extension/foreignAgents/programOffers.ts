import { t } from "@vscode/l10n";
import * as z from "zod";
import type { SlashCommand } from "../../protocol/suggestions.ts";
import { visibleLine } from "../approvals/requestText.ts";
import type { Choice, Prompts } from "../models/setup/prompts.ts";
import type { AuthMethod, SessionResult } from "./protocol.ts";

const text = z.string();

const programOption = z.object({
  id: text,
  name: text,
  current: text,
  values: z.array(z.object({ value: text, name: text, description: text.exactOptional() })),
});

/** A choice that a program offers of itself: its model, or how much that thinks. */
export type ProgramOption = z.infer<typeof programOption>;

const programCommand = z.object({ name: text, description: text });

const programLogin = z.object({
  id: text,
  name: text,
  description: text.exactOptional(),
  /** In a terminal: a command of its own, or arguments of the program's. */
  terminal: z.object({ command: text.exactOptional(), args: z.array(text), env: z.record(text, text) }).exactOptional(),
});
/** A way to log in that a program has. */
export type ProgramLogin = z.infer<typeof programLogin>;

/** What a program last said that it offers, and what the user chose of it. */
const programOffers = z.object({
  options: z.array(programOption),
  commands: z.array(programCommand),
  /** Values by the ids of options. */
  chosen: z.record(text, text),
  logins: z.array(programLogin).default([]),
  /** Its latest session could not be started without one. */
  needsLogin: z.boolean().default(false),
});
export type ProgramOffers = z.infer<typeof programOffers>;

const nothingOffered: ProgramOffers = { options: [], commands: [], chosen: {}, logins: [], needsLogin: false };

/** The id of the option of a program that has its models apart from its other options. */
export const modelsOption = "arbor:models";

const maxOptions = 20;
const maxValues = 200;
const maxCommands = 100;
/** Of an id or a value, which are sent back as they came: what is longer is not offered. */
const maxIdLength = 500;

/**
 * The options that are for the user to choose. How far a program asks is not among them: that is chosen by Arbor's own
 * mode. What is none of its models and no level of thinking may skip questions, too.
 */
export function offeredOptions({
  configOptions,
  models,
}: Pick<SessionResult, "configOptions" | "models">): ProgramOption[] {
  const options = (configOptions ?? []).flatMap((option): ProgramOption[] => {
    if (option.category !== "model" && option.category !== "thought_level") return [];
    const { id, name, currentValue: current, options: values = [] } = option;
    if (id.length > maxIdLength || current.length > maxIdLength) return [];
    return [{ id, name: visibleLine(name, 60), current, values: shownValues(values) }];
  });
  options.splice(maxOptions);
  if (models == null || models.currentModelId.length > maxIdLength) return options;
  if (options.some(({ id }) => id === "model")) return options;
  const { availableModels = [], currentModelId: current } = models;
  const values = availableModels.map(({ modelId: value, ...rest }) => ({ ...rest, value }));
  return [...options, { id: modelsOption, name: t("Model"), current, values: shownValues(values) }];
}

function shownValues(
  values: readonly { value: string; name: string; description?: string | null | undefined }[],
): ProgramOption["values"] {
  const short = values.filter(({ value }) => value.length <= maxIdLength);
  return short.slice(0, maxValues).map(({ value, name, description }) => ({
    ...{ value, name: visibleLine(name, 80) },
    ...(description != null && { description: visibleLine(description, 200) }),
  }));
}

/** The commands that can be written in a message. */
export function offeredCommands(commands: ProgramOffers["commands"]): ProgramOffers["commands"] {
  return commands
    .filter(({ name }) => /^[\w-]{1,60}$/.test(name))
    .slice(0, maxCommands)
    .map(({ name, description }) => ({ name, description: visibleLine(description, 200) }));
}

/** Those that can be done here: variables are set in the setting. */
export function offeredLogins(methods: readonly AuthMethod[]): ProgramLogin[] {
  const known = methods.filter(({ id, type }) => id.length <= maxIdLength && type !== "env_var");
  return known.slice(0, maxOptions).map(({ id, name, description, type, args, env, _meta }) => {
    const ofItsOwn = _meta?.["terminal-auth"];
    const terminal = type === "terminal" ? { args, env } : ofItsOwn;
    return {
      ...{ id, name: visibleLine(name || id, 80) },
      ...(description != null && { description: visibleLine(description, 200) }),
      ...(terminal != null && { terminal }),
    };
  });
}

export interface ProgramMemory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** What programs offer, from the first session on: it is known before their next process starts. */
export class ProgramCatalog {
  readonly #memory: ProgramMemory;
  readonly #onChange: () => void;

  constructor(memory: ProgramMemory, onChange: () => void) {
    this.#memory = memory;
    this.#onChange = onChange;
  }

  of(program: string): ProgramOffers {
    return programOffers.safeParse(this.#memory.get(keyOf(program))).data ?? nothingOffered;
  }

  async change(program: string, changes: Partial<ProgramOffers>): Promise<void> {
    const before = this.of(program);
    const after = { ...before, ...changes };
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    await this.#memory.update(keyOf(program), after);
    this.#onChange();
  }

  /** Its commands for the composer. */
  commands(program: string): SlashCommand[] {
    return this.of(program).commands.map((command) => ({ ...command, takesText: true, group: "server" as const }));
  }
}

/** With the lists of models, which are deleted with all data. */
function keyOf(program: string): string {
  return `arbor.models.foreign.${program}`;
}

export interface ChooseOptionParts {
  prompts: Pick<Prompts, "choose" | "showMessage">;
  catalog: ProgramCatalog;
  programs: readonly string[];
  /** The main agent of chats, if it is one of them. */
  current: string | undefined;
  /** Logs in to a program; what its choice shows is what is run. */
  logIn(program: string, login: ProgramLogin): Promise<void>;
  /** The command line of a login in a terminal. */
  commandOf(program: string, login: ProgramLogin): string | undefined;
}

/** Lets the user choose a program's model, or how much that thinks; it counts from the program's next prompt on. */
export async function chooseProgramOption(parts: ChooseOptionParts): Promise<void> {
  const { prompts, catalog, programs, current } = parts;
  const title = t("Arbor: Options of a Foreign Agent");
  const pick = <Value>(placeholder: string, choices: Choice<Value>[]) =>
    choices.length === 1 ? choices[0]?.value : prompts.choose({ title, placeholder, choices });
  if (programs.length === 0) {
    await prompts.showMessage(t("There is no foreign agent yet. Add one first."));
    return;
  }
  const names = current === undefined ? programs : [current];
  const program = await pick(
    t("Choose an agent"),
    names.map((name) => ({
      ...{ label: name, value: name },
      ...(catalog.of(name).needsLogin && { description: t("needs a login") }),
    })),
  );
  if (program === undefined) return;
  const { options, chosen, logins, needsLogin } = catalog.of(program);
  if (options.length === 0 && logins.length === 0) {
    await prompts.showMessage(
      t("{0} says with its first answer what can be chosen. Send it a message first.", program),
    );
    return;
  }
  const now = (option: ProgramOption) => chosen[option.id] ?? option.current;
  const login: Choice<"login"> = { label: t("Log In"), description: needsLogin ? t("needed") : "", value: "login" };
  const option = await pick<ProgramOption | "login">(t("Choose what to change"), [
    ...options.map((each) => ({ label: each.name, description: nameOf(each, now(each)), value: each })),
    ...(logins.length > 0 ? [login] : []),
  ]);
  if (option === undefined) return;
  if (option === "login") {
    const chosenLogin = await prompts.choose({
      ...{ title, placeholder: t("Choose how to log in") },
      choices: logins.map((each) => {
        const detail = parts.commandOf(program, each) ?? each.description;
        return { label: each.name, ...(detail !== undefined && { detail }), value: each };
      }),
    });
    if (chosenLogin !== undefined) await parts.logIn(program, chosenLogin);
    return;
  }
  const value = await prompts.choose({
    ...{ title, placeholder: option.name },
    choices: option.values.map(({ value, name, description: detail }) => ({
      ...{ label: name, value },
      ...(value === now(option) && { description: t("in use") }),
      ...(detail !== undefined && { detail }),
    })),
  });
  if (value !== undefined) await catalog.change(program, { chosen: { ...chosen, [option.id]: value } });
}

function nameOf({ values }: ProgramOption, value: string): string {
  return values.find((each) => each.value === value)?.name ?? value;
}
