import { type TextEditor, Uri, window } from "vscode";
import { proposedText } from "../model/fitHunks.ts";
import type { Extent } from "../model/lineEdit.ts";
import { currentText } from "../reviewedWorkspace.ts";
import { shownProposals, shownWritten } from "../shownHunks.ts";
import { diffSideOf, type PresenterDependencies, proposedScheme } from "./diffDocuments.ts";

/** The proposed hunk whose lines hold the caret; an insertion is at both lines it would come between. */
export async function proposalAtCaret(dependencies: PresenterDependencies): Promise<string | undefined> {
  const editor = window.activeTextEditor;
  if (editor === undefined || dependencies.store.proposals.length === 0) return undefined;
  return idAt(editor, await extentsIn(editor, dependencies));
}

/** The written hunk that holds the caret. */
export function writtenAtCaret({ store, pathOf }: PresenterDependencies): string | undefined {
  const editor = window.activeTextEditor;
  const path = editor && pathOf(editor.document.uri);
  const file = path === undefined ? undefined : store.find(path);
  return editor && file && idAt(editor, new Map(shownWritten(file).map(({ id, range }) => [id, range])));
}

function idAt({ selection }: TextEditor, extents: ReadonlyMap<string, Extent>): string | undefined {
  const { line } = selection.active;
  return [...extents].find(([, { start, end }]) =>
    start === end ? line === start || line === start - 1 : line >= start && line < end,
  )?.[0];
}

async function extentsIn(
  { document: { uri } }: TextEditor,
  { store, workspace, uriOf, pathOf }: PresenterDependencies,
): Promise<ReadonlyMap<string, Extent>> {
  if (uri.scheme === proposedScheme) {
    const side = diffSideOf(store, uri, uriOf);
    if (side === undefined) return new Map();
    return proposedText(side.file, (await currentText(workspace, side.file.path))?.text ?? "").extents;
  }
  const path = pathOf(uri);
  const shown = shownProposals(store.proposals).filter((each) => each.path === path && each.file.change !== "add");
  return new Map(shown.map(({ id, range }) => [id, range]));
}

/** Written hunks: one by its id; or, from the peek of a change, by its file, all its changes, and which one is meant. */
export function hunksOf({ store, pathOf }: PresenterDependencies, [target, changes, index]: unknown[]): string[] {
  if (typeof target === "string") return [target];
  const path = target instanceof Uri ? pathOf(target) : undefined;
  const file = path === undefined ? undefined : store.find(path);
  const change = Array.isArray(changes) && typeof index === "number" ? linesOf(changes[index]) : undefined;
  if (file === undefined || change === undefined) return [];
  return shownWritten(file)
    .filter(({ range }) => touches(range, change))
    .map(({ id }) => id);
}

/** A change of the quick diff counts lines from 1; one that only removes has no modified end. */
function linesOf(change: unknown): Extent | undefined {
  if (typeof change !== "object" || change === null) return undefined;
  const start: unknown = Reflect.get(change, "modifiedStartLineNumber");
  const end: unknown = Reflect.get(change, "modifiedEndLineNumber");
  if (typeof start !== "number" || typeof end !== "number") return undefined;
  return end === 0 ? { start, end: start } : { start: start - 1, end };
}

function touches(range: Extent, change: Extent): boolean {
  if (range.start === range.end || change.start === change.end) {
    return range.start <= change.end && range.end >= change.start;
  }
  return range.start < change.end && range.end > change.start;
}
