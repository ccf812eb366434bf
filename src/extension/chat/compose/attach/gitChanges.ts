import * as vscode from "vscode";
import { isSecretPath } from "../../../approvals/sensitive.ts";
import { foundRepositories } from "../../../context/readSurroundings.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import { withheldSecret } from "./readAttachment.ts";
import type { ChangedFile, Changes } from "./sources.ts";

const maxFiles = 100;

/** What is used here of the interface that the editor's own git extension offers to others. */
interface GitExtension {
  getAPI(version: 1): {
    repositories: readonly Repository[];
    onDidOpenRepository: vscode.Event<unknown>;
    onDidCloseRepository: vscode.Event<unknown>;
  };
}
interface Repository {
  state: Record<"indexChanges" | "workingTreeChanges" | "mergeChanges", readonly Change[]> & {
    untrackedChanges?: readonly Change[];
  };
  diffWithHEAD(path: string): Promise<string>;
  status(): Promise<void>;
}
interface Change {
  uri: vscode.Uri;
  /** As the git extension numbers them: 7 is untracked. */
  status: number;
}
const untracked = 7;

export interface GitChanges {
  /** Whether there is a repository; asked often, so that it only looks. */
  hasRepository(): boolean;
  /** How many files differ from the last commit, as far as git has looked. */
  count(): number;
  /** Calls back whenever a repository is found or closed. */
  watch(onChange: () => void): vscode.Disposable;
  /** Files of the workspace that differ from the last commit; undefined without a repository. */
  read(signal: AbortSignal): Promise<Changes | undefined>;
}

/** The changes that the editor's git extension knows of. It decides about trust, and which git is run. */
export function gitChanges(
  workspace: Pick<Workspace, "read">,
  pathOf: (uri: vscode.Uri) => string | undefined,
): GitChanges {
  const extension = () => vscode.extensions.getExtension<GitExtension>("vscode.git");

  async function textOf(repository: Repository, { uri, status }: Change, signal: AbortSignal): Promise<ChangedFile[]> {
    const path = pathOf(uri);
    if (path === undefined) return [];
    const isUntracked = status === untracked;
    if (isSecretPath(path)) return [{ path, text: withheldSecret, isUntracked }];
    const read = () => (isUntracked ? wholeText(path, signal) : repository.diffWithHEAD(uri.fsPath));
    return [{ path, text: await orReason(path, signal, read), isUntracked }];
  }

  async function wholeText(path: string, signal: AbortSignal): Promise<string> {
    const content = await workspace.read(path, signal);
    return content.kind === "text" ? content.text : "(a picture)";
  }

  return {
    hasRepository: () => foundRepositories(extension()).length > 0,
    count: () => foundRepositories(extension()).reduce((sum, repository) => sum + changesOf(repository).length, 0),
    watch(onChange) {
      let isOver = false;
      let listening: vscode.Disposable | undefined;
      extension()
        ?.activate()
        .then((exports) => {
          if (isOver) return;
          const api = exports.getAPI(1);
          listening = vscode.Disposable.from(api.onDidOpenRepository(onChange), api.onDidCloseRepository(onChange));
          onChange();
        })
        // Git is switched off, or is not there: then nothing ever changes.
        .then(undefined, () => undefined);
      return {
        dispose() {
          isOver = true;
          listening?.dispose();
        },
      };
    },
    async read(signal) {
      await extension()?.activate();
      const repositories = foundRepositories(extension());
      if (repositories.length === 0) return undefined;
      const files: ChangedFile[] = [];
      let omitted = 0;
      for (const repository of repositories) {
        // What was written a moment ago is not known to it yet.
        await repository.status();
        for (const change of changesOf(repository)) {
          signal.throwIfAborted();
          if (files.length >= maxFiles) omitted++;
          else files.push(...(await textOf(repository, change, signal)));
        }
      }
      return { files, omitted };
    },
  };
}

/** Each file once: it may be changed in the index and again in the working tree. */
function changesOf({ state }: Repository): Change[] {
  const all = [
    ...state.mergeChanges,
    ...state.indexChanges,
    ...state.workingTreeChanges,
    ...(state.untrackedChanges ?? []),
  ];
  return [...new Map(all.map((change) => [change.uri.toString(), change])).values()];
}

/** One file that can't be read does not cost the others. */
async function orReason(path: string, signal: AbortSignal, read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    signal.throwIfAborted();
    return `(${path} could not be read: ${error instanceof Error ? error.message : String(error)})`;
  }
}
