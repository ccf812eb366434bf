import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { t } from "@vscode/l10n";
import { type LockPlace, takeLock } from "../sessions/lock.ts";
import type { ProcessIdentity } from "../sessions/processIdentity.ts";
import { isFileSystemError } from "../workspace/fileSystemErrors.ts";
import { UserError } from "./userError.ts";

/** Runs one step at a time, whichever window it is in. */
export type Exclusively = <T>(step: () => Promise<T>) => Promise<T>;

export interface ExclusiveOptions extends LockPlace {
  /** What the steps are about; the lock is a file beside it. */
  path: string;
  owner(): ProcessIdentity;
  /** How long another window's step is waited for. */
  patienceMs?: number;
}

/** Where the disk takes no lock the step runs all the same: it then writes nothing either. */
export function exclusively({ path, owner, patienceMs = 30_000, ...place }: ExclusiveOptions): Exclusively {
  return async (step) => {
    const startedAt = place.now();
    for (;;) {
      const lock = take();
      if (lock !== undefined) {
        try {
          return await step();
        } finally {
          lock.release();
        }
      }
      if (place.now() - startedAt > patienceMs) {
        throw new UserError(t("Another window of this workspace is writing or restoring files. Try again."));
      }
      await setTimeout(5 + Math.random() * 20);
    }
  };

  function take() {
    try {
      place.files.makeFolder(dirname(path));
      return takeLock(path, owner(), place);
    } catch (error) {
      if (!isFileSystemError(error)) throw error;
      return { release: () => {} };
    }
  }
}
