import { join } from "node:path";
import * as vscode from "vscode";
import { UserError } from "../common/userError.ts";
import { readTrace, TraceFiles } from "./traceFiles.ts";
import { SpanSender, TraceRecorder } from "./traceRecorder.ts";

export interface TracesDependencies {
  storageFolder: string;
  version: string;
  settings(): { enabled: boolean; otlpEndpoint: string };
  warn(message: string): void;
}

export interface RegisteredTraces extends vscode.Disposable {
  recorder: TraceRecorder;
  /** Opens the latest run's trace as text that links the file with its spans. */
  show(): Promise<void>;
}

const scheme = "arbor-trace";

/** Traces of runs: written where the user wants them, and shown. */
export function registerTraces({ storageFolder, version, settings, warn }: TracesDependencies): RegisteredTraces {
  const files = new TraceFiles(tracesFolder(storageFolder));
  const sender = new SpanSender({
    endpoint: () => (settings().enabled ? settings().otlpEndpoint : ""),
    connect: async (endpoint) => (await import("./otlpExporter.ts")).otlpExporter(endpoint, version),
    warn: (reason) => {
      const message = vscode.l10n.t("Traces can't be sent to {0}: {1}", settings().otlpEndpoint, reason);
      warn(message);
      void vscode.window.showWarningMessage(message);
    },
  });
  const recorder = new TraceRecorder({ isEnabled: () => settings().enabled, files, sender, warn });
  const registered = vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(scheme, {
      async provideTextDocumentContent({ query: path }) {
        const { traceText } = await import("./traceText.ts");
        return traceText(await readTrace(path), path);
      },
    }),
    vscode.languages.registerDocumentLinkProvider({ scheme }, { provideDocumentLinks: linksIn }),
  );
  return {
    recorder,
    async show() {
      await recorder.settled();
      const path = await files.latest();
      if (path === undefined) return offerTraces(settings().enabled);
      const uri = vscode.Uri.from({ scheme, path: `/${vscode.l10n.t("Trace of the latest run")}.txt`, query: path });
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
    },
    dispose() {
      registered.dispose();
      void sender.dispose();
    },
  };
}

/** The line that names the file leads to it. */
function linksIn(document: vscode.TextDocument): vscode.DocumentLink[] {
  const path = document.uri.query;
  for (let number = 0; number < Math.min(document.lineCount, 5); number++) {
    const { text } = document.lineAt(number);
    const at = text.indexOf(path);
    if (at < 0) continue;
    const range = new vscode.Range(number, at, number, at + path.length);
    return [new vscode.DocumentLink(range, vscode.Uri.file(path))];
  }
  return [];
}

async function offerTraces(isEnabled: boolean): Promise<void> {
  if (isEnabled) throw new UserError(vscode.l10n.t("No run was traced yet: ask an agent something first."));
  const open = vscode.l10n.t("Open settings");
  const words = vscode.l10n.t("Traces are off. Turn on arbor.trace.enabled, then each run writes one.");
  if ((await vscode.window.showInformationMessage(words, open)) !== open) return;
  await vscode.commands.executeCommand("workbench.action.openSettings", "arbor.trace.enabled");
}

/** Where traces are kept, below the extension's storage. */
function tracesFolder(storageFolder: string): string {
  return join(storageFolder, "traces");
}
