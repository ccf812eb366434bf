import { commands, type Uri } from "vscode";
import type { AppliedFile } from "../applied/appliedEdits.ts";
import { baselineUri } from "./baselines.ts";

/** Left and right side of a file's diff; a side that does not exist is absent. */
type Sides = [label: Uri, original: Uri | undefined, modified: Uri | undefined];

/** Shows all of these files in one multi-diff, against what they would be without their pending hunks. */
export async function reviewApplied(
  files: readonly AppliedFile[],
  uriOf: (path: string) => Uri,
  title: string,
): Promise<void> {
  const sides = files.map((file): Sides => {
    const uri = uriOf(file.path);
    const isDeleted = file.hunks.some(({ kind }) => kind === "delete") && file.lines.every(({ isLive }) => !isLive);
    return [uri, baselineUri(uri), isDeleted ? undefined : uri];
  });
  await commands.executeCommand("vscode.changes", title, sides);
}
