import * as vscode from "vscode";
import * as z from "zod";
import type { AskArguments } from "../../chat/compose/askCommand.ts";
import { fix, type ShownProblem } from "./asks.ts";

const argumentsSchema = z.object({
  path: z.string().min(1),
  problems: z
    .array(z.object({ line: z.int().positive(), message: z.string(), source: z.string().exactOptional() }))
    .min(1),
});

/** What a light bulb's action hands to `arbor.fixProblems`; undefined for what is none of ours. */
export function fixArguments(input: unknown): AskArguments | undefined {
  const given = argumentsSchema.safeParse(input);
  return given.success ? fix(given.data.path, given.data.problems) : undefined;
}

/** "Fix with Arbor" in the light bulb, and in the menu of the Problems panel, which shows the same actions. */
export class FixActions implements vscode.CodeActionProvider {
  static readonly metadata = { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] };
  readonly #pathOf: (uri: vscode.Uri) => string | undefined;

  constructor(pathOf: (uri: vscode.Uri) => string | undefined) {
    this.#pathOf = pathOf;
  }

  provideCodeActions(
    document: vscode.TextDocument,
    _range: vscode.Range,
    { diagnostics }: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    const path = this.#pathOf(document.uri);
    if (path === undefined || diagnostics.length === 0) return [];
    const action = new vscode.CodeAction(vscode.l10n.t("Fix with Arbor"), vscode.CodeActionKind.QuickFix);
    action.diagnostics = [...diagnostics];
    action.command = {
      command: "arbor.fixProblems",
      title: action.title,
      arguments: [{ path, problems: diagnostics.map(shownProblem) }],
    };
    return [action];
  }
}

function shownProblem({ range, message, source, code }: vscode.Diagnostic): ShownProblem {
  const value = typeof code === "object" ? code.value : code;
  const by = value === undefined ? source : `${source ?? ""}(${value})`;
  return { line: range.start.line + 1, message, ...(by !== undefined && by !== "" && { source: by }) };
}
