import { basename } from "node:path/posix";
import * as vscode from "vscode";
import * as z from "zod";
import type { Attachment, PlaceAttachment } from "../../../protocol/attachments.ts";
import type { AskArguments } from "../../chat/compose/askCommand.ts";
import { selectionAttachment } from "../../chat/compose/editorContext.ts";
import { UserError } from "../../common/userError.ts";
import { explain, explainFailure, fix, fixFile, reviewChanges, type ShownProblem, type Subject } from "./asks.ts";

interface EditorEntriesOptions {
  /** As `arbor.ask` does: without text it asks for it. */
  ask(given: AskArguments): Promise<unknown>;
  pathOf: PathOf;
}

type PathOf = (uri: vscode.Uri) => string | undefined;

/** Where in the editor an agent can be asked about what is there: menus, light bulb, terminal, source control. */
export function createEditorEntries({ ask, pathOf }: EditorEntriesOptions) {
  return {
    explain: async () => ask(explain(subjectAtCaret(pathOf))),
    fixProblems: async (input: unknown) => ask(fixArguments(input) ?? fixFile(activePath(pathOf))),
    askAboutFile: async (clicked: unknown, all: unknown) =>
      ask({ attachments: await attachmentsOf(clicked, all, pathOf) }),
    askAboutTerminal: async () => ask(explainFailure(undefined)),
    askAboutTerminalSelection: async () => ask(explainFailure(await terminalSelection())),
    reviewChanges: async () => ask(reviewChanges()),
  };
}
export type EditorEntries = ReturnType<typeof createEditorEntries>;

/** "Fix with Arbor" in the light bulb, and in the menu of the Problems panel, which shows the same actions. */
export function provideFixActions(pathOf: PathOf): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider("*", new FixActions(pathOf), FixActions.metadata);
}

function subjectAtCaret(pathOf: PathOf): Subject {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) throw new UserError(vscode.l10n.t("Open a file first: there is nothing to explain."));
  const selection = selectionAttachment(pathOf);
  if (selection !== undefined) return { ...selection, kind: "selection" };
  const path = pathOf(editor.document.uri);
  if (path !== undefined && editor.selection.isEmpty) return { kind: "file", path };
  const range = editor.selection.isEmpty ? undefined : editor.selection;
  const name = basename(editor.document.uri.path) || editor.document.fileName;
  return { kind: "text", name, text: editor.document.getText(range) };
}

function activePath(pathOf: PathOf): string {
  const editor = vscode.window.activeTextEditor;
  const path = editor === undefined ? undefined : pathOf(editor.document.uri);
  if (path === undefined) throw new UserError(vscode.l10n.t("Open a file of the workspace first."));
  return path;
}

/** What is selected in the explorer, as its menu passes it: the entry that was clicked, and all that are selected. */
async function attachmentsOf(clicked: unknown, all: unknown, pathOf: PathOf): Promise<Attachment[]> {
  const uris = (Array.isArray(all) && all.length > 0 ? all : [clicked]).filter((uri) => uri instanceof vscode.Uri);
  const places = await Promise.all(uris.map((uri) => attachmentOf(uri, pathOf)));
  const known = places.filter((place) => place !== undefined);
  if (known.length > 0) return known;
  return [{ kind: "file", path: activePath(pathOf) }];
}

async function attachmentOf(uri: vscode.Uri, pathOf: PathOf): Promise<PlaceAttachment | undefined> {
  const path = pathOf(uri);
  if (path === undefined) return undefined;
  const { type } = await vscode.workspace.fs.stat(uri);
  return { kind: (type & vscode.FileType.Directory) === 0 ? "file" : "folder", path };
}

const argumentsSchema = z.object({
  path: z.string().min(1),
  problems: z
    .array(z.object({ line: z.int().positive(), message: z.string(), source: z.string().exactOptional() }))
    .min(1),
});

/** What a light bulb's action hands to `arbor.fixProblems`; undefined for what is none of ours. */
function fixArguments(input: unknown): AskArguments | undefined {
  const given = argumentsSchema.safeParse(input);
  return given.success ? fix(given.data.path, given.data.problems) : undefined;
}

class FixActions implements vscode.CodeActionProvider {
  static readonly metadata = { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] };
  readonly #pathOf: PathOf;

  constructor(pathOf: PathOf) {
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

/**
 * What is selected in the active terminal. The editor gives it to extensions by way of the clipboard alone, which has
 * afterwards what it had before. Undefined without a selection, and where a browser allows no reading of the clipboard.
 */
async function terminalSelection(): Promise<string | undefined> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  // What can't be read can't be given back either, so it is not cleared.
  if (before !== "") await clipboard.writeText("");
  let selected = "";
  try {
    await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
    selected = await clipboard.readText();
  } finally {
    if (before !== "" || selected !== "") await clipboard.writeText(before);
  }
  return selected === "" ? undefined : selected;
}
