import type { ShownGrant } from "../../protocol/grants.ts";
import type { PermissionMode } from "../../protocol/modes.ts";
import type { GrantableRequest } from "./grants.ts";

/** Where it is kept, for this workspace and this user alone: the editor's own storage, which no file of the workspace is. */
export interface GrantMemory {
  get(key: string): unknown;
  update(key: string, value: boolean | undefined): PromiseLike<void>;
}

const memoryKey = "arbor.sandboxedCommandsAllowed";

/** The answer that sandboxed commands need not be asked for in this workspace, in any of its chats. */
export class SandboxGrant {
  readonly #memory: GrantMemory;
  readonly shown: ShownGrant = { id: "sandboxed commands", kind: "command", scope: "workspace", text: "*" };

  constructor(memory: GrantMemory) {
    this.#memory = memory;
  }

  get isAllowed(): boolean {
    return this.#memory.get(memoryKey) === true;
  }

  /** Nothing but a person's answer calls this. */
  allow(): void {
    void this.#memory.update(memoryKey, true);
  }

  revoke(): void {
    void this.#memory.update(memoryKey, undefined);
  }

  covers(request: GrantableRequest): boolean {
    return this.isAllowed && isSandboxed(request);
  }
}

/** Whether the mode lets it run unasked: where edits of the workspace are not asked for, a command that can do no more is not. */
export function runsUnasked(request: GrantableRequest, mode: PermissionMode): boolean {
  return mode === "auto-edit" && isSandboxed(request);
}

function isSandboxed(request: GrantableRequest): boolean {
  return request.kind === "command" && request.sandbox === "inside";
}
