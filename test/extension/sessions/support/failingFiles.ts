import { diskFiles, type Files, type OpenFile } from "../../../../src/extension/common/files.ts";

export type DiskFault = "ENOSPC" | "EIO" | "EACCES";

/** Which calls fail: the one with this number, counted from 1, or that one and all after it. */
export interface FaultPlan {
  code: DiskFault;
  from: number;
  isLasting: boolean;
}

export interface FailingFiles {
  files: Files;
  /** How many calls there were. */
  readonly calls: number;
  /** From now on all works. */
  heal(): void;
}

/** The disk, with calls that fail as planned. A write that fails has written half of what it was given. */
export function failingFiles(plan?: FaultPlan): FailingFiles {
  let calls = 0;
  let isHealed = false;
  const attempt = () => {
    calls += 1;
    if (plan === undefined || isHealed) return;
    if (calls === plan.from || (plan.isLasting && calls > plan.from)) throw fault(plan.code);
  };
  const files: Files = { ...diskFiles };
  for (const name of ["makeFolder", "list", "stat", "read", "create", "rename", "remove"] as const) wrap(files, name);
  for (const name of ["openForAppend", "truncate", "size", "close"] as const) wrap(files, name);
  files.append = (descriptor, bytes) => {
    try {
      attempt();
    } catch (error) {
      diskFiles.append(descriptor, bytes.subarray(0, bytes.length / 2));
      throw error;
    }
    return diskFiles.append(descriptor, bytes);
  };
  // That the disk is flushed is not what these tests are about, and it takes long.
  files.sync = async () => attempt();
  files.openForRead = async (path) => {
    attempt();
    return failingFile(await diskFiles.openForRead(path), attempt);
  };
  return {
    files,
    get calls() {
      return calls;
    },
    heal() {
      isHealed = true;
    },
  };

  function wrap<Name extends keyof Files>(into: Files, name: Name): void {
    const call: (...args: never[]) => unknown = diskFiles[name];
    // The same arguments and result as the call in whose place it is.
    into[name] = ((...args: never[]) => {
      attempt();
      return call(...args);
    }) as Files[Name];
  }
}

function failingFile(file: OpenFile, attempt: () => void): OpenFile {
  return {
    async size() {
      attempt();
      return file.size();
    },
    async read(into, position) {
      attempt();
      return file.read(into, position);
    },
    close: () => file.close(),
  };
}

export function fault(code: DiskFault): Error {
  return Object.assign(new Error(`${code}: a fault of the disk`), { code });
}
