import * as vscode from "vscode";
import { type Place, placeOfUri } from "./editorRoots.ts";
import { askLanguage, orNothing } from "./languageRequest.ts";
import type { FileDiagnostic } from "./workspace.ts";

/** Files that the editor's TypeScript server knows, whether or not they have a tab. */
const script = /\.(?:[mc]?[tj]s|[tj]sx)$/;
/** What the server's own reports in the editor say of themselves. */
const serverSources: ReadonlySet<string> = new Set(["ts", "js", "typescript", "javascript", "deno-ts"]);

/** As the server's protocol has it: lines and offsets count from 1. */
interface ServerDiagnostic {
  start?: { line: number; offset: number };
  text?: string;
  category?: string;
}

export function isOfServer({ path, source }: FileDiagnostic): boolean {
  return script.test(path) && source !== undefined && serverSources.has(source);
}

/**
 * Errors and warnings of a script, asked of the TypeScript server itself: it reports by itself only on files that have a
 * tab. Undefined for other files, and where the server does not answer.
 */
export async function askTypescript(place: Place, signal: AbortSignal): Promise<FileDiagnostic[] | undefined> {
  if (!script.test(place.path)) return undefined;
  await vscode.workspace.openTextDocument(place.uri);
  const all: FileDiagnostic[] = [];
  for (const request of ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"]) {
    const answer = await orNothing(
      askLanguage<{ type?: string; body?: ServerDiagnostic[] }>(signal, "typescript.tsserverRequest", request, {
        file: place.uri,
      }),
      signal,
    );
    if (answer?.type !== "response" || !Array.isArray(answer.body)) return undefined;
    all.push(...answer.body.flatMap((each) => fileDiagnostic(place, each)));
  }
  return all;
}

function fileDiagnostic({ uri }: Place, { start, text = "", category }: ServerDiagnostic): FileDiagnostic[] {
  const path = placeOfUri(uri)?.path;
  if (path === undefined || start === undefined || (category !== "error" && category !== "warning")) return [];
  const source = /\.[mc]?tsx?$/.test(path) ? "ts" : "js";
  return [{ path, line: start.line, column: start.offset, severity: category, message: text, source }];
}
