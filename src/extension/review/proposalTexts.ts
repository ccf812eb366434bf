import { currentText, type ReviewedWorkspace } from "./currentText.ts";
import type { CurrentText } from "./openProposal.ts";
import { fileOutcome } from "./outcome.ts";
import type { PendingProposal } from "./proposals.ts";
import type { EditProposal, ReviewOutcome } from "./review.ts";

/** What the files that a proposal changes hold now, by path; a file that goes elsewhere as it is needs no text. */
export async function currentTextsOf(
  workspace: ReviewedWorkspace,
  { changes }: EditProposal,
): Promise<Map<string, CurrentText>> {
  const texts = new Map<string, CurrentText>();
  for (const { path, movedTo } of changes) {
    const content = movedTo === undefined ? await currentText(workspace, path) : undefined;
    if (content !== undefined) texts.set(path, content);
  }
  return texts;
}

/** What became of each file, with what it holds now. */
export async function outcomeOf(workspace: ReviewedWorkspace, { files }: PendingProposal): Promise<ReviewOutcome> {
  const outcomes = files.map(async (file) => {
    const content = file.movedTo === undefined ? await currentText(workspace, file.path) : undefined;
    return fileOutcome(file, content && { text: content.text, saved: !content.unsaved });
  });
  return { files: await Promise.all(outcomes) };
}
