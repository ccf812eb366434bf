import { t } from "@vscode/l10n";
import type { Choice, Prompts } from "../models/setup/prompts.ts";
import type { ProgramCatalog, ProgramLogin, ProgramOption } from "./programOffers.ts";

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
