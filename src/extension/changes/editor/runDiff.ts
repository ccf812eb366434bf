import { commands, Disposable, l10n, type Uri, workspace } from "vscode";
import { UserError } from "../../common/userError.ts";
import type { HunkActions } from "../provenance/hunkActions.ts";
import type { PlannedFile } from "../rewind/rewindPlan.ts";
import type { FileImage, ImagedFiles } from "../rewind/storage.ts";

const scheme = "arbor-before-run";

interface RunDiffDependencies {
  /** What a rewind of files to before the message would do; undefined when nothing is known of it. */
  planRewind(messageId: string): Promise<readonly PlannedFile[] | undefined>;
  files: Pick<ImagedFiles, "decode">;
  uriOf(path: string): Uri;
}

export interface RunDiff extends Disposable {
  /** Shows in one multi-diff what agents changed since a message of the user's, answered or not. */
  show(messageId: string): Promise<void>;
}

/** Files against what they would be without the agents' changes: what the user changed is on both sides. */
export function provideRunDiff({ planRewind, files, uriOf }: RunDiffDependencies): RunDiff {
  /** By address; of the latest diff alone, since the editor holds what it shows. */
  const before = new Map<string, string>();
  const provider = workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: (uri) => before.get(uri.toString()) ?? "",
  });

  /** Undefined for what is no text; empty where nothing is. */
  async function textOf(path: string, { bytes, unsaved }: FileImage): Promise<string | undefined> {
    return unsaved ?? (bytes === undefined ? "" : files.decode(path, bytes));
  }

  async function show(messageId: string): Promise<void> {
    const planned = await planRewind(messageId);
    if (planned === undefined) throw new UserError(l10n.t("No file contents were recorded before this run."));
    before.clear();
    const sides: [Uri, Uri | undefined, Uri | undefined][] = [];
    for (const { path, current, target } of planned) {
      const text = await textOf(path, target);
      if (text === undefined || isFolder(current) || isFolder(target)) continue;
      const uri = uriOf(path);
      const original = uri.with({ scheme, authority: "", query: messageId });
      before.set(original.toString(), text);
      sides.push([uri, isThere(target) ? original : undefined, isThere(current) ? uri : undefined]);
    }
    if (sides.length === 0) throw new UserError(l10n.t("Nothing is left of what this run changed."));
    await commands.executeCommand("vscode.changes", l10n.t("Changes of the run"), sides);
  }

  return Object.assign(Disposable.from(provider), { show });
}

function isFolder({ isFolder: folder }: FileImage): boolean {
  return folder === true;
}

function isThere({ bytes, unsaved }: FileImage): boolean {
  return bytes !== undefined || unsaved !== undefined;
}

const hunkScheme = "arbor-without";

interface HunkDiffView extends Disposable {
  /** Shows the files with hunks beside what they would be without them. */
  show(hunkIds: ReadonlySet<string>): Promise<void>;
}

/** Left sides of diffs: files without the hunks that somebody asked about. */
export function provideHunkDiff(actions: Pick<HunkActions, "diff">, uriOf: (path: string) => Uri): HunkDiffView {
  /** By address; of the latest diff alone, since the editor holds what it shows. */
  const before = new Map<string, string>();
  const provider = workspace.registerTextDocumentContentProvider(hunkScheme, {
    provideTextDocumentContent: (uri) => before.get(uri.toString()) ?? "",
  });
  let count = 0;

  async function show(hunkIds: ReadonlySet<string>): Promise<void> {
    const files = await actions.diff(hunkIds);
    if (files.length === 0) throw new UserError(l10n.t("Nothing is left of these edits in the files."));
    before.clear();
    count += 1;
    const sides = files.map(({ path, before: text, isThere }): [Uri, Uri, Uri | undefined] => {
      const uri = uriOf(path);
      const left = uri.with({ scheme: hunkScheme, authority: "", query: String(count) });
      before.set(left.toString(), text);
      return [uri, left, isThere ? uri : undefined];
    });
    await commands.executeCommand("vscode.changes", l10n.t("Agent Changes"), sides);
  }

  return Object.assign(Disposable.from(provider), { show });
}
