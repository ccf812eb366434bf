import { currentText, type ReviewedWorkspace } from "./currentText.ts";
import type { EditProposal, OpenProposal, ReviewOutcome } from "./model/change.ts";
import type { CurrentText } from "./model/openProposal.ts";
import { fileOutcome, type Unsettled } from "./outcome.ts";

/** What the files that a proposal changes hold now, by path; a file that goes elsewhere as it is needs no text. */
export async function currentTextsOf(
  workspace: ReviewedWorkspace,
  { changes }: EditProposal,
): Promise<Map<string, CurrentText>> {
  const texts = new Map<string, CurrentText>();
  for (const { path, movedTo, follows } of changes) {
    const isMoved = changes.some((change) => change.path === follows && change.movedTo === path);
    // What comes to be there is elsewhere as long as it is not moved.
    const place = isMoved && follows !== undefined ? follows : path;
    const content = movedTo === undefined ? await currentText(workspace, place) : undefined;
    if (content !== undefined) texts.set(path, content);
  }
  return texts;
}

/** What became of each file, with what it holds now. */
export async function outcomeOf(
  workspace: ReviewedWorkspace,
  { files, withdrawn = false }: OpenProposal,
  unsettled: Unsettled,
): Promise<ReviewOutcome> {
  const how = { unsettled, isWithdrawn: withdrawn };
  const outcomes = files.map(async (file) => {
    const content = file.movedTo === undefined ? await currentText(workspace, file.path) : undefined;
    return fileOutcome(file, content && { text: content.text, saved: !content.unsaved }, how);
  });
  return { files: await Promise.all(outcomes) };
}
