import type { EditReview } from "../changes/model/change.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { CommandDependencies } from "./commandDependencies.ts";
import type { PanelDependencies } from "./panelDependencies.ts";
import type { ReadVersions } from "./readVersions.ts";
import type { SecretReads } from "./secretReads.ts";

/** What the editor's tools are made with. */
export interface ToolDependencies {
  workspace: Workspace;
  review: EditReview;
  /** One for all agents of all chats, so that they learn of each other's edits. */
  reads: ReadVersions;
  /** Asks before files with keys or passwords are read. Absent where nobody can be asked: then none is read. */
  secrets?: SecretReads;
  /** Names from the root agent down, like ["main", "edit"]. */
  agentPath(agentId: string): readonly string[];
  /** Absent where no process can run and nothing is fetched: then there are no tools for it. */
  commands?: CommandDependencies;
  /** Absent where nobody looks: then there is no plan to show and nobody to ask. */
  panel?: PanelDependencies;
}
