import { Disposable, EventEmitter, type Uri, workspace } from "vscode";
import type { AppliedStore } from "../applied/appliedStore.ts";
import { baselineOf } from "../model/undoHunks.ts";
import { baseScheme } from "./diffUris.ts";

/** In the place of a proposal's id: the file without its pending hunks. */
export const pendingQuery = "pending";

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
