import { t } from "@vscode/l10n";
import { errorText } from "../../agent/vocabulary/errors.ts";

/** What was looked at, and how it is. */
export interface Check {
  title: string;
  /** "off": it is not used, by the user's own choice or since there is nothing to use it for. */
  state: "ok" | "warning" | "problem" | "off";
  /** One sentence, or a few. */
  text: string;
  fix?: Fix;
}

/** A command that helps. */
export interface Fix {
  label: string;
  command: string;
  arguments?: readonly unknown[];
}

/** Makes checks of which a failure takes nothing from the others: it is a problem of its own. */
export async function attempt(title: string, check: () => Promise<Check | Check[]>): Promise<Check[]> {
  try {
    return [await check()].flat();
  } catch (error) {
    const fix = { label: t("Show Log"), command: "arbor.showLog" };
    return [{ title, state: "problem", text: t("This could not be checked: {0}", errorText(error)), fix }];
  }
}

/** What a program wrote when it was run, or why it could not be. */
type ProgramOutcome = { ok: true; output: string } | { ok: false; problem: string };

export type RunProgram = (program: string, args: readonly string[], signal: AbortSignal) => Promise<ProgramOutcome>;

export const openSetting = (label: string, query: string): Fix => ({
  label,
  command: "workbench.action.openSettings",
  arguments: [query],
});
