import type { AskPermission } from "../approvals/permission.ts";
import type { CommandChanges } from "../changes/rewind/commandChanges.ts";
import type { Commands } from "../terminal/commands.ts";
import type { OutputStore } from "../terminal/outputStore.ts";

/** What commands and fetches need beside the workspace: whoever allows them, and where their output goes. */
export interface CommandDependencies {
  /** Keeps what commands change for a rewind. Absent where nothing can be rewound. */
  changes?: Pick<CommandChanges, "begin">;
  askPermission: AskPermission;
  commands: Commands;
  outputs: OutputStore;
  /**
   * A folder of the workspace, or the first one, to run commands in. Throws a `ToolError` where there is none on this
   * machine's disk.
   */
  folder(path: string | undefined): Promise<{ path: string; absolute: string }>;
}
