import { join } from "node:path";
import * as vscode from "vscode";
import { resolveLexically } from "../workspace/editorRoots.ts";
import type { KnownNames } from "./customHelp.ts";
import type { CustomProblem } from "./customization.ts";
import type { PositionRange } from "./frontMatter.ts";

const folders = ".agents,.claude,.github";
const kinds = "agents,skills,prompts,commands,teams";
const fieldFiles = `**/{${folders}}/{${kinds}}/**`;
const hookFiles = "**/{.agents/hooks.json,.claude/settings.json,.claude/settings.local.json}";

/** Calls when a custom file was written, or is being typed. */
export function watchCustomFiles(home: string, onChange: () => void): vscode.Disposable {
  const own = new vscode.RelativePattern(vscode.Uri.file(join(home, ".agents")), "**");
  const watchers = [`**/{${folders}}/**`, `**/{${folders}}`, own].map((pattern) =>
    vscode.workspace.createFileSystemWatcher(pattern),
  );
  const listeners = watchers.flatMap((watcher) => [
    watcher.onDidChange(onChange),
    watcher.onDidCreate(onChange),
    watcher.onDidDelete(onChange),
  ]);
  const typed = vscode.workspace.onDidChangeTextDocument(({ document }) => {
    if (vscode.languages.match([{ pattern: fieldFiles }, { pattern: hookFiles }], document) > 0) onChange();
  });
  const moved = vscode.workspace.onDidChangeWorkspaceFolders(onChange);
  return vscode.Disposable.from(...watchers, ...listeners, typed, moved);
}

/** Completes and explains the fields of custom files. What it needs is loaded with the first of them. */
export function helpWithFields(pathOf: (uri: vscode.Uri) => string, names: () => KnownNames): vscode.Disposable {
  const selector = { pattern: fieldFiles };
  const help = () => import("./customHelp.ts");
  return vscode.Disposable.from(
    vscode.languages.registerCompletionItemProvider(
      selector,
      {
        async provideCompletionItems(document, position) {
          const { completeField } = await help();
          const found = completeField(pathOf(document.uri), document.getText(), position, names());
          return found.map(({ label, detail, insert }) => {
            const item = new vscode.CompletionItem(label, vscode.CompletionItemKind.Property);
            item.insertText = insert;
            if (detail !== undefined) item.documentation = detail;
            return item;
          });
        },
      },
      ...[" ", "[", ","],
    ),
    vscode.languages.registerHoverProvider(selector, {
      async provideHover(document, position) {
        const { explainField } = await help();
        const text = explainField(pathOf(document.uri), document.getText(), position);
        return text === undefined ? undefined : new vscode.Hover(text);
      },
    }),
  );
}

/** Shows mistakes at their lines, with a quick fix where the right spelling is plain. */
export function showCustomProblems(
  home: string,
): vscode.Disposable & { show(problems: readonly CustomProblem[]): void } {
  const collection = vscode.languages.createDiagnosticCollection("arbor");
  const fixes = new Map<string, { diagnostic: vscode.Diagnostic; fix: NonNullable<CustomProblem["fix"]> }[]>();
  const provider = vscode.languages.registerCodeActionsProvider(
    [{ pattern: fieldFiles }, { pattern: hookFiles }],
    {
      provideCodeActions: ({ uri }, range) =>
        (fixes.get(uri.toString()) ?? [])
          .filter(({ diagnostic }) => diagnostic.range.intersection(range) !== undefined)
          .map((fixable) => codeAction(uri, fixable)),
    },
    { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
  );
  return {
    show(problems) {
      fixes.clear();
      const byFile = new Map<string, { uri: vscode.Uri; diagnostics: vscode.Diagnostic[] }>();
      for (const problem of problems) {
        const uri = uriOf(problem.path, home);
        const file = byFile.get(uri.toString()) ?? { uri, diagnostics: [] };
        const diagnostic = diagnosticOf(problem);
        file.diagnostics.push(diagnostic);
        byFile.set(uri.toString(), file);
        const { fix } = problem;
        if (fix !== undefined) fixes.set(uri.toString(), [...(fixes.get(uri.toString()) ?? []), { diagnostic, fix }]);
      }
      collection.clear();
      for (const { uri, diagnostics } of byFile.values()) collection.set(uri, diagnostics);
    },
    dispose: () => vscode.Disposable.from(collection, provider).dispose(),
  };
}

function codeAction(
  uri: vscode.Uri,
  { diagnostic, fix }: { diagnostic: vscode.Diagnostic; fix: NonNullable<CustomProblem["fix"]> },
): vscode.CodeAction {
  const action = new vscode.CodeAction(fix.title, vscode.CodeActionKind.QuickFix);
  action.diagnostics = [diagnostic];
  action.isPreferred = true;
  action.edit = new vscode.WorkspaceEdit();
  action.edit.replace(uri, rangeOf(fix.range), fix.text);
  return action;
}

const severities = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
};

function diagnosticOf({ range, message, severity }: CustomProblem): vscode.Diagnostic {
  const diagnostic = new vscode.Diagnostic(rangeOf(range), message, severities[severity]);
  diagnostic.source = "Arbor";
  return diagnostic;
}

function rangeOf({ start, end }: PositionRange): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** The file of a path of the workspace, or of the user's folder. */
function uriOf(path: string, home: string): vscode.Uri {
  return path.startsWith("~/") ? vscode.Uri.file(join(home, path.slice(2))) : resolveLexically(path).uri;
}
