import { type TextEditor, window } from "vscode";
import { currentText } from "../currentText.ts";
import type { Extent } from "../hunks/lineEdit.ts";
import { proposedText } from "../proposedText.ts";
import { shownHunks } from "../shownHunks.ts";
import { diffSideOf, proposedScheme } from "./diffUris.ts";
import type { LensDependencies } from "./lenses.ts";

/** The pending hunk whose lines hold the caret; an insertion is at both lines it would stand between. */
export async function hunkAtCaret(dependencies: LensDependencies): Promise<string | undefined> {
  const editor = window.activeTextEditor;
  if (editor === undefined) return undefined;
  const line = editor.selection.active.line;
  const extents = await extentsIn(editor, dependencies);
  return [...extents].find(([, { start, end }]) =>
    start === end ? line === start || line === start - 1 : line >= start && line < end,
  )?.[0];
}

async function extentsIn(
  { document: { uri } }: TextEditor,
  { store, workspace, uriOf, pathOf }: LensDependencies,
): Promise<ReadonlyMap<string, Extent>> {
  if (uri.scheme === proposedScheme) {
    const side = diffSideOf(store, uri, uriOf);
    if (side === undefined) return new Map();
    return proposedText(side.file, (await currentText(workspace, side.file.path))?.text ?? "").extents;
  }
  const path = pathOf(uri);
  const shown = shownHunks(store.proposals).filter(({ file }) => file.path === path && file.change !== "add");
  return new Map(shown.map(({ hunk }) => [hunk.id, hunk.extent]));
}
