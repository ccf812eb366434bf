import { Disposable, EventEmitter, type Uri, workspace } from "vscode";
import { baselineOf } from "../model/undoHunks.ts";
import { currentText } from "../reviewedWorkspace.ts";
import { baseScheme, diffSideOf } from "./diffUris.ts";
import type { LensDependencies } from "./lenses.ts";

/** In the place of a proposal's id: the file without its written hunks that wait. */
const pendingQuery = "pending";

/** Address of a file as it would be without its written hunks that wait. */
export function baselineUri(file: Uri): Uri {
  return file.with({ scheme: baseScheme, authority: "", query: pendingQuery });
}

/**
 * The left sides of diffs, read-only: of a proposal's, the file as it is now; of the quick diff and the multi-diff, the
 * current text with the written hunks that wait undone.
 */
export function provideBaseDocuments(dependencies: Omit<LensDependencies, "pathOf">): Disposable {
  const { store, workspace: reviewed, uriOf } = dependencies;
  const changed = new EventEmitter<Uri>();
  return Disposable.from(
    changed,
    workspace.registerTextDocumentContentProvider(baseScheme, {
      onDidChange: changed.event,
      provideTextDocumentContent: async (uri) => {
        if (uri.query === pendingQuery) {
          const file = store.files.find(({ path }) => uriOf(path).path === uri.path);
          return file === undefined ? textOfOpen(uri) : baselineOf(file);
        }
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

/** Once nothing of a file is pending, there is nothing to show in a diff that is still open. */
function textOfOpen(uri: Uri): string {
  return (
    workspace.textDocuments
      .find((document) => document.uri.scheme === "file" && document.uri.path === uri.path)
      ?.getText() ?? ""
  );
}
