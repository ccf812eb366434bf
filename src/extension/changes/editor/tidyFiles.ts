import type { AgentEvent } from "../../../agent/index.ts";
import { fileEditsIn } from "../../../protocol/fileEdits.ts";

export interface TidySettings {
  formatsFiles: boolean;
  organizesImports: boolean;
}

export interface TidyOptions {
  settings(): TidySettings;
  /** Something of it waits for an answer: its lines are left as they are. */
  hasPending(path: string): boolean;
  tidy(path: string): Promise<void>;
  reportFailure(error: unknown): void;
}

const maxFiles = 200;

export function isTidying({ formatsFiles, organizesImports }: TidySettings): boolean {
  return formatsFiles || organizesImports;
}

/**
 * Follows the events of a chat's agents: when its run has ended, the files that they edited are put in order as the user's
 * settings want it, where that was not done when the user accepted an edit. Files in which something waits are left alone.
 */
export function tidyAfterRuns(options: TidyOptions): (event: AgentEvent) => void {
  const edited = new Set<string>();
  return (event) => {
    if (event.type === "tool_execution_end" && !event.isError) {
      for (const { path, movedTo, accepted } of fileEditsIn(event.result.details)) {
        if (accepted > 0) edited.add(movedTo ?? path);
      }
    }
    if (event.type !== "agent_end" || event.agent.depth > 0) return;
    const paths = [...edited].filter((path) => !options.hasPending(path)).slice(0, maxFiles);
    for (const path of paths) edited.delete(path);
    if (paths.length > 0 && isTidying(options.settings())) void tidyFiles(paths, options);
  };
}

async function tidyFiles(paths: readonly string[], { hasPending, tidy, reportFailure }: TidyOptions): Promise<void> {
  for (const path of paths) {
    // The next run may have begun meanwhile. A formatter that fails at one file is no reason to leave the others.
    if (!hasPending(path)) await tidy(path).catch(reportFailure);
  }
}
