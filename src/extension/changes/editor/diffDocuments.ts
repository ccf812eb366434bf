import { Disposable, EventEmitter, type Uri, workspace } from "vscode";
import type { ChangeStore } from "../changeStore.ts";
import type { ProposedFile } from "../model/change.ts";
import { baselineOf } from "../model/undoHunks.ts";
import { currentText, type ReviewedWorkspace } from "../reviewedWorkspace.ts";

/** What all that shows changes in the editor needs. */
export interface PresenterDependencies {
  store: ChangeStore;
  workspace: ReviewedWorkspace;
  uriOf(path: string): Uri;
  pathOf(uri: Uri): string | undefined;
}

const baseScheme = "arbor-base";
export const proposedScheme = "arbor-proposed";

/** Addresses of both sides of a file's diff: the file's own path, so that icons and languages are its own. */
export function diffUris(file: Uri, proposalId: string): { base: Uri; proposed: Uri } {
  const side = (scheme: string) => file.with({ scheme, authority: "", query: proposalId });
  return { base: side(baseScheme), proposed: side(proposedScheme) };
}

interface DiffSide {
  proposalId: string;
  file: ProposedFile;
}

/** What a side of a diff belongs to, as long as it is open. */
export function diffSideOf(store: ChangeStore, uri: Uri, uriOf: (path: string) => Uri): DiffSide | undefined {
  if (uri.scheme !== baseScheme && uri.scheme !== proposedScheme) return undefined;
  const proposal = store.proposal(uri.query);
  const file = proposal?.files.find(({ path }) => uriOf(path).path === uri.path);
  return proposal && file && { proposalId: proposal.id, file };
}

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
export function provideBaseDocuments(dependencies: Omit<PresenterDependencies, "pathOf">): Disposable {
  const { store, workspace: reviewed, uriOf } = dependencies;
  const changed = new EventEmitter<Uri>();
  return Disposable.from(
    changed,
    workspace.registerTextDocumentContentProvider(baseScheme, {
      onDidChange: changed.event,
      provideTextDocumentContent: async (uri) => {
        if (uri.query === pendingQuery) {
          const file = store.files.find(({ path }) => uriOf(path).path === uri.path);
          return file === undefined ? textOfOpen({ scheme: "file", path: uri.path }) : baselineOf(file);
        }
        const side = diffSideOf(store, uri, uriOf);
        if (side === undefined) return textOfOpen({ scheme: proposedScheme, path: uri.path, query: uri.query });
        if (side.file.change === "add") return "";
        return (await currentText(reviewed, side.file.path))?.text ?? "";
      },
    }),
    store.onDidChange(() => {
      for (const { uri } of workspace.textDocuments) if (uri.scheme === baseScheme) changed.fire(uri);
    }),
  );
}

/** Once nothing of a file is pending, there is nothing to show in a diff that is still open. */
function textOfOpen({ scheme, path, query = "" }: { scheme: string; path: string; query?: string }): string {
  const isMeant = (uri: Uri) => uri.scheme === scheme && uri.path === path && uri.query === query;
  return workspace.textDocuments.find(({ uri }) => isMeant(uri))?.getText() ?? "";
}
