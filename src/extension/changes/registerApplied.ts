import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import { Disposable, workspace as editor, window } from "vscode";
import { UserError } from "../common/userError.ts";
import { AppliedStore } from "./changeStore.ts";
import { type AppliedCommands, registerAppliedCommands } from "./editor/appliedCommands.ts";
import { provideBaselines } from "./editor/baseDocuments.ts";
import { closeSettledReview } from "./editor/diffTabs.ts";
import { showFileBadges } from "./editor/fileBadges.ts";
import { followApplied } from "./editor/followDocuments.ts";
import { showWrittenLenses } from "./editor/lenses.ts";
import { markWrittenLines } from "./editor/marks.ts";
import { showQuickDiff } from "./editor/quickDiff.ts";
import type { EditHistory } from "./history/editHistory.ts";
import type { EditJournal } from "./journal/editJournal.ts";
import type { LoadedEdits } from "./model/schema.ts";
import { editsOnDisk, PendingEditsFile } from "./persistedEdits.ts";
import type { ReviewHost } from "./registerReview.ts";
import { currentText, type ReviewedWorkspace } from "./reviewedWorkspace.ts";
import { WrittenReviews } from "./writtenReviews.ts";

export interface AppliedHost extends ReviewHost {
  inTurn<T>(command: () => Promise<T>): Promise<T>;
  journal: EditJournal;
  written: EditHistory;
}

export interface RegisteredApplied extends Disposable {
  store: AppliedStore;
  reviews: WrittenReviews;
  commands: AppliedCommands;
  /** Takes up the pending edits in the folder of a window that is gone. */
  adopt(folder: string): Promise<void>;
  reopenedText(path: string): Promise<string | undefined>;
}

const typingRestsMs = 500;

/** Wires edits that are written before they are reviewed into the editor: rows, marks, badges, quick diff, commands. */
export function registerApplied(host: AppliedHost): RegisteredApplied {
  const { workspace, uriOf, pathOf, showError, inTurn, journal, written } = host;
  const store = new AppliedStore();
  const newId = () => `edit-${randomUUID()}`;
  const reviews = new WrittenReviews({
    ...{ store, workspace, inTurn, newId, journal },
    workspaceOf: (author) => written.workspaceOf(author),
    onUndone: (paths) => written.refresh(paths),
    onceSaved: () => saved.flush(),
  });
  const commands = registerAppliedCommands({ store, reviews, uriOf, pathOf, showError });
  const disposables: { dispose(): void }[] = [
    commands,
    followApplied(store, pathOf),
    showWrittenLenses(store, pathOf),
    markWrittenLines(store, pathOf),
    provideBaselines(store, uriOf),
    showFileBadges({ store, uriOf, pathOf }),
    closeSettledReview(store, showError),
    showQuickDiff({ store, uriOf, pathOf }),
  ];
  const saved = new PendingEditsFile({
    store,
    saved: editsOnDisk(host.storageFolder),
    currentTextOf: (path) => reopenedText(host, path),
    onDropped: (dropped) => void window.showInformationMessage(droppedMessage(dropped)),
    onError: showError,
    typingRestsMs,
  });
  // In turn, so that no agent writes into a file whose pending hunks are about to be taken up.
  void inTurn(() => saved.load()).then((saving) => disposables.push(saving), showError);
  const adopt = (folder: string) => inTurn(() => saved.adopt(editsOnDisk(folder)));
  const reopened = (path: string) => reopenedText(host, path);
  const dispose = () => Disposable.from(...disposables).dispose();
  return { store, reviews, commands, adopt, reopenedText: reopened, dispose };
}

/** Opened as a document, because that brings back what the window before left unsaved. */
async function reopenedText(
  { workspace, uriOf }: { workspace: ReviewedWorkspace } & Pick<ReviewHost, "uriOf">,
  path: string,
) {
  try {
    if ((await workspace.stat(path)) === undefined) return undefined;
    await editor.openTextDocument(uriOf(path));
    return (await currentText(workspace, path))?.text;
  } catch (error) {
    // A folder that is not open any more, or a file that is no text any more.
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function droppedMessage(dropped: LoadedEdits["dropped"]): string {
  const paths = [...new Set(dropped.map(({ path }) => path))].join(", ");
  return dropped.length === 1
    ? t(
        "1 agent edit in {0} can't be undone any more: the lines changed while the window was closed. They stay as they are.",
        paths,
      )
    : t(
        "{0} agent edits in {1} can't be undone any more: the lines changed while the window was closed. They stay as they are.",
        dropped.length,
        paths,
      );
}
