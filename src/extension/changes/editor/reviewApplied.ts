import { commands, type Disposable, l10n, type Tab, TabInputText, type Uri, window } from "vscode";
import type { AppliedStore } from "../applied/appliedStore.ts";
import type { WrittenFile } from "../model/change.ts";
import { baselineUri } from "./baselines.ts";

/** Left and right side of a file's diff; a side that does not exist is absent. */
type Sides = [label: Uri, original: Uri | undefined, modified: Uri | undefined];

/** Shows all of these files in one multi-diff, against what they would be without their pending hunks. */
export async function reviewApplied(files: readonly WrittenFile[], uriOf: (path: string) => Uri): Promise<void> {
  const sides = files.map((file): Sides => {
    const uri = uriOf(file.path);
    const isDeleted = file.hunks.some(({ kind }) => kind === "delete") && file.lines.every(({ isLive }) => !isLive);
    return [uri, baselineUri(uri), isDeleted ? undefined : uri];
  });
  await commands.executeCommand("vscode.changes", title(), sides);
}

/** Closes the multi-diff when nothing waits any more: it would show files that do not differ. */
export function closeSettledReview(
  store: Pick<AppliedStore, "files" | "onDidChange">,
  showError: (error: unknown) => void,
): Pick<Disposable, "dispose"> {
  return store.onDidChange(() => {
    if (store.files.length > 0) return;
    const settled = window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(isReview));
    if (settled.length > 0) void window.tabGroups.close(settled, true).then(undefined, showError);
  });
}

/** The editor tells no more of a multi-diff than its title, to which it adds how many files there are. */
function isReview({ label, input, isDirty }: Tab): boolean {
  return label.startsWith(`${title()} (`) && !(input instanceof TabInputText) && !isDirty;
}

function title(): string {
  return l10n.t("Agent Edits");
}
