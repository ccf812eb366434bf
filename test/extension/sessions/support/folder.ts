import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionStorage } from "../../../../src/extension/sessions/session.ts";
import { openSessionStorage, type SessionStorageOptions } from "../../../../src/extension/sessions/storage.ts";

export interface TestFolder extends AsyncDisposable {
  path: string;
  /** A window that works on the folder. */
  storage(options?: Partial<SessionStorageOptions>): TestStorage;
}

export interface TestStorage extends SessionStorage {
  /** What the user was warned of. */
  warnings: string[];
}

/** A folder that is gone after the test. Its windows' clocks count up by one at every look, their ids too. */
export async function testFolder(): Promise<TestFolder> {
  const path = await mkdtemp(join(tmpdir(), "arbor-sessions-"));
  let time = 0;
  let ids = 0;
  return {
    path,
    storage(options = {}) {
      const warnings: string[] = [];
      const storage = openSessionStorage({
        folder: path,
        onTrouble: (message) => warnings.push(message),
        now: () => ++time,
        newId: () => `new-${++ids}`,
        ...options,
      });
      return Object.assign(storage, { warnings });
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
