import { commands, Disposable, l10n, type Uri, workspace } from "vscode";
import type { BranchConflict } from "../rewind/branchPlan.ts";

const scheme = "arbor-branch";
/** So many merge editors are opened at once. */
const maxOpened = 10;

export interface BranchMerges extends Disposable {
  /** Opens the editor's merge editor on each file in which others built on lines of a branch that was undone. */
  show(conflicts: readonly BranchConflict[], branch: string): Promise<void>;
}

/**
 * Three-way diffs of what others built on a branch's lines: as the branch left it, as it is now, and as it would be
 * without the branch. The file holds what others made of it, and goes on to until the user accepts something else.
 */
export function provideBranchMerges(uriOf: (path: string) => Uri): BranchMerges {
  const texts = new Map<string, string>();
  const provider = workspace.registerTextDocumentContentProvider(scheme, {
    // Of before a reload nothing is known: an empty side would offer to empty the file.
    provideTextDocumentContent: (uri) => texts.get(uri.toString()),
  });
  const closing = workspace.onDidCloseTextDocument(({ uri }) => texts.delete(uri.toString()));
  let count = 0;

  function side(uri: Uri, name: string, text: string): Uri {
    const address = uri.with({ scheme, authority: "", query: `${name}:${count}` });
    texts.set(address.toString(), text);
    return address;
  }

  async function show(conflicts: readonly BranchConflict[], branch: string): Promise<void> {
    for (const { path, texts: known } of conflicts.filter((each) => each.texts !== undefined).slice(0, maxOpened)) {
      if (known === undefined) continue;
      const uri = uriOf(path);
      count += 1;
      const now = (await workspace.openTextDocument(uri)).getText();
      const description = path.split("/").at(-1) ?? path;
      await commands.executeCommand("_open.mergeEditor", {
        base: side(uri, "base", known.base),
        input1: { uri: side(uri, "now", now), title: l10n.t("As it is now"), description },
        input2: { uri: side(uri, "without", known.without), title: l10n.t("Without {0}", branch), description },
        output: uri,
      });
    }
  }

  return Object.assign(Disposable.from(provider, closing), { show });
}
