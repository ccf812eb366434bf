import { Disposable, EventEmitter, type Uri, workspace } from "vscode";
import type { AppliedStore, ProposalStore } from "../changeStore.ts";
import { baselineOf } from "../model/undoHunks.ts";
import { currentText, type ReviewedWorkspace } from "../reviewedWorkspace.ts";
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

/** In the place of a proposal's id: the file without its pending hunks. */
const pendingQuery = "pending";

/** Address of a file as it would be without its pending hunks. */
export function baselineUri(file: Uri): Uri {
  return file.with({ scheme: baseScheme, authority: "", query: pendingQuery });
}

/** What quick diff and the multi-diff compare with: the current text with the pending hunks taken back. */
export function provideBaselines(store: AppliedStore, uriOf: (path: string) => Uri): Disposable {
  const changed = new EventEmitter<Uri>();
  return Disposable.from(
    changed,
    workspace.registerTextDocumentContentProvider(baseScheme, {
      onDidChange: changed.event,
      provideTextDocumentContent: (uri) => {
        // What a proposal is compared with is given by another provider.
        if (uri.query !== pendingQuery) return undefined;
        const file = store.files.find(({ path }) => uriOf(path).path === uri.path);
        return file === undefined ? textOfOpen(uri) : baselineOf(file);
      },
    }),
    store.onDidChange(() => {
      for (const { uri } of workspace.textDocuments) {
        if (uri.scheme === baseScheme && uri.query === pendingQuery) changed.fire(uri);
      }
    }),
  );
}

/** Once nothing of a file is pending, there is nothing to show in a diff that is still open. */
function textOfOpen(uri: Uri): string {
  return (
    workspace.textDocuments
      .find((document) => document.uri.scheme === "file" && document.uri.path === uri.path)
      ?.getText() ?? ""
  );
}
