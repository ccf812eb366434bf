import { Disposable, EventEmitter, type Uri, workspace } from "vscode";
import { currentText, type ReviewedWorkspace } from "../currentText.ts";
import type { ProposalStore } from "../proposalStore.ts";
import { pendingQuery } from "./baselines.ts";
import { baseScheme, diffSideOf } from "./diffUris.ts";

/** The left side of a diff: the file as it is now, read-only. */
export function provideBaseDocuments(
  store: ProposalStore,
  reviewed: ReviewedWorkspace,
  uriOf: (path: string) => Uri,
): Disposable {
  const changed = new EventEmitter<Uri>();
  return Disposable.from(
    changed,
    workspace.registerTextDocumentContentProvider(baseScheme, {
      onDidChange: changed.event,
      provideTextDocumentContent: async (uri) => {
        // Another provider's, for edits that are written already.
        if (uri.query === pendingQuery) return undefined;
        const side = diffSideOf(store, uri, uriOf);
        if (side === undefined || side.file.change === "add") return "";
        return (await currentText(reviewed, side.file.path))?.text ?? "";
      },
    }),
    store.onDidChange(() => {
      for (const { uri } of workspace.textDocuments) if (uri.scheme === baseScheme) changed.fire(uri);
    }),
  );
}
