import fs from "node:fs";
import { dirname, join } from "node:path";
import { writeWholeSync } from "../common/atomicFile.ts";
import { diskFiles, isFileSystemError } from "../common/files.ts";
import { type Exclusively, exclusively, type Lock } from "../common/lock.ts";
import { ownIdentity } from "../common/processIdentity.ts";
import { foldersOfOtherWindows, migrate } from "./migration.ts";
import { abandonedFolders, lockFolder, takeWindowFolder, useFreeFolder } from "./windowFolders.ts";
import { identifyWorkspace, type OpenWorkspace } from "./workspaceKey.ts";

export interface StorageOptions {
  workspace: OpenWorkspace;
  /** The folder that the editor gives to all windows of this machine. */
  globalFolder: string;
  /** The folder that the editor gives to this window, where earlier versions kept everything; none without a workspace. */
  editorFolder: string | undefined;
}

/** Where Arbor keeps what belongs to a workspace. */
export interface WorkspaceStorage {
  /** Shared by all windows of the workspace: sessions, words, checkpoints, outputs, traces. */
  workspaceFolder: string;
  /** That of this window, and those that windows left which are gone. */
  windowFolders(): string[];
  /** Of this window alone: edits that wait for an answer, drafts, the chat that is shown. */
  windowFolder: string;
  /** Where an earlier version kept the same, and where what could not be moved still is. */
  earlierFolders: string[];
  /** What kept something from being moved. */
  problems: unknown[];
  /** Runs a step while no other window reads or writes checkpoints. */
  exclusively: Exclusively;
  /**
   * Hands over what windows left that are gone: `adopt` gets the folder of such a window while no other one has it. A
   * window that is only reloaded gets its folder back: a folder counts as left when no window has had it for `afterMs`.
   */
  watchAbandoned(options: AbandonedOptions): { dispose(): void };
  dispose(): void;
}

interface AbandonedOptions {
  adopt(folder: string): Promise<void>;
  afterMs: number;
  /** How often is looked. Default: each two seconds. */
  everyMs?: number;
  /** Called with a folder that could not be taken up, once until it could. */
  onFailure(error: unknown): void;
}

const signOfLifeMs = 600_000;

/** Finds the workspace's folders, makes what is not there yet, and moves there what an earlier version kept elsewhere. */
export async function openWorkspaceStorage(options: StorageOptions): Promise<WorkspaceStorage> {
  const { globalFolder, editorFolder } = options;
  const { key, description } = identifyWorkspace(options.workspace, fs.realpathSync.native);
  const workspaceFolder = join(globalFolder, "workspaces", key);
  const identity = ownIdentity();
  const lockPlace = { files: diskFiles, now: Date.now, abandoned: new Set<string>(), owner: () => identity };
  const windows = { ...lockPlace, folder: join(workspaceFolder, "windows") };
  // The editor gives its folder to one process at a time: where it is the first one, a process before it is about to end.
  const isFirst = editorFolder !== undefined && !/-\d$/.test(dirname(editorFolder));
  const windowFolder = await takeWindowFolder(windows, isFirst ? 500 : 0);
  const alone = exclusively({ ...lockPlace, path: join(workspaceFolder, "checkpoints") });
  const problems: unknown[] = [];
  const file = join(workspaceFolder, "workspace.json");
  const text = `${JSON.stringify(description, undefined, 2)}\n`;
  unlessFailing(() => {
    if (diskFiles.read(file) !== text) writeWholeSync(diskFiles, file, text);
  });
  // Another machine can't ask whether this process lives: it goes by when something was last written here.
  const giveSignOfLife = () => {
    const json = JSON.stringify({ pid: identity.pid, at: Date.now() });
    unlessFailing(() => writeWholeSync(diskFiles, join(windowFolder, "window.json"), `${json}\n`));
  };
  giveSignOfLife();
  const living = setInterval(giveSignOfLife, signOfLifeMs);
  living.unref();

  const earlierFolders =
    editorFolder === undefined ? [globalFolder] : [editorFolder, ...foldersOfOtherWindows(editorFolder)];
  for (const from of earlierFolders) {
    const target = {
      workspaceFolder,
      exclusively: alone,
      inWindowFolder(name: string, use: (folder: string) => void) {
        if (diskFiles.stat(join(windowFolder, name)) === undefined) use(windowFolder);
        else useFreeFolder(windows, name, use);
      },
    };
    problems.push(...(await migrate(from, target)));
  }

  return {
    workspaceFolder,
    windowFolder,
    windowFolders: () => [windowFolder, ...abandonedFolders(windows)],
    earlierFolders,
    problems,
    exclusively: alone,
    watchAbandoned({ adopt, afterMs, everyMs = 2_000, onFailure }) {
      const since = new Map<string, number>();
      const failed = new Set<string>();
      let isLooking = false;
      const look = async () => {
        const folders = abandonedFolders(windows).filter(hasAny);
        for (const folder of since.keys()) if (!folders.includes(folder)) since.delete(folder);
        for (const folder of folders) {
          if (!since.has(folder)) since.set(folder, Date.now());
          if (Date.now() - (since.get(folder) ?? 0) < afterMs) continue;
          let lock: Lock | undefined;
          try {
            lock = lockFolder(windows, folder);
            // Another window may have taken all of it since it was listed.
            if (lock !== undefined && hasAny(folder)) await adopt(folder);
            failed.delete(folder);
          } catch (error) {
            // It is tried again and again, but need not be said each time.
            if (!failed.has(folder)) onFailure(error);
            failed.add(folder);
          } finally {
            lock?.release();
            // What can't be taken up yet is looked at again later.
            since.set(folder, Date.now());
          }
        }
      };
      const timer = setInterval(() => {
        if (isLooking) return;
        isLooking = true;
        look()
          .catch(onFailure)
          .finally(() => {
            isLooking = false;
          });
      }, everyMs);
      timer.unref();
      return { dispose: () => clearInterval(timer) };
    },
    dispose: () => clearInterval(living),
  };
}

/** The chat that a window showed is that window's own concern. */
function hasAny(folder: string): boolean {
  return ["pending-edits.json", "written-edits.json", "drafts.json"].some(
    (name) => diskFiles.stat(join(folder, name)) !== undefined,
  );
}

/** For what only helps: that it can't be written keeps nothing from working. */
function unlessFailing(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
  }
}
