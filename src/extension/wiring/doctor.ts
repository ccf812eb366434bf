import * as vscode from "vscode";
import type { DoctorReport } from "../doctor/report.ts";
import type { Host } from "./host.ts";
import type { Models } from "./models.ts";

const scheme = "arbor-doctor";

/** Says in a document what works and what does not, each with its fix. The checks are loaded when they are asked for. */
export function createDoctor({ context, own, storage }: Host, models: Models, countChats: () => Promise<number>) {
  const uri = vscode.Uri.from({ scheme, path: `/${vscode.l10n.t("Arbor Doctor")}.txt` });
  const changed = own(new vscode.EventEmitter<vscode.Uri>());
  const lensesChanged = own(new vscode.EventEmitter<void>());
  let report: DoctorReport | undefined;
  own(
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      onDidChange: changed.event,
      provideTextDocumentContent: () => report?.text ?? vscode.l10n.t("Run Arbor: Doctor to look again."),
    }),
  );
  own(
    vscode.languages.registerCodeLensProvider(
      { scheme },
      { onDidChangeCodeLenses: lensesChanged.event, provideCodeLenses: () => lensesOf(report) },
    ),
  );
  return {
    /** Gives the report, for programs. */
    async examine(): Promise<string | undefined> {
      const { examine } = await import("../doctor/editorDoctor.ts");
      const examined = await examine({
        ...models,
        storage: { folder: storage.workspaceFolder, problems: storage.problems, countChats },
        version: String(context.extension.packageJSON.version),
      });
      if (examined === undefined) return undefined;
      report = examined;
      changed.fire(uri);
      lensesChanged.fire();
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
      return report.text;
    },
    async copyReport(): Promise<void> {
      if (report === undefined) return;
      await vscode.env.clipboard.writeText(report.text);
      void vscode.window.setStatusBarMessage(vscode.l10n.t("The report is copied."), 5_000);
    },
  };
}
export type Doctor = ReturnType<typeof createDoctor>;

function lensesOf(report: DoctorReport | undefined): vscode.CodeLens[] {
  const lens = (line: number, title: string, command: string, args: readonly unknown[] = []) =>
    new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command, arguments: [...args] });
  const fixes = (report?.fixes ?? []).map(({ line, fix: { label, command, arguments: given = [] } }) =>
    lens(line, `$(wrench) ${label}`, command, command === "vscode.open" ? given.map(toUri) : given),
  );
  return [
    lens(0, `$(copy) ${vscode.l10n.t("Copy Report")}`, "arbor.copyDoctorReport"),
    lens(0, `$(refresh) ${vscode.l10n.t("Check Again")}`, "arbor.doctor"),
    ...fixes,
  ];
}

const toUri = (url: unknown) => vscode.Uri.parse(String(url), true);
