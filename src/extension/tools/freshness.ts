import { diffLines } from "../changes/model/diffLines.ts";
import { ToolError } from "../common/userError.ts";
import { hunksText } from "./editReport.ts";
import type { TextContent } from "./openText.ts";
import type { ReadVersions } from "./readVersions.ts";
import { EditError } from "./text/editError.ts";
import { merged, rebased } from "./text/rebase.ts";

/** A file that changed since the agent saw it. */
export interface StaleFile {
  path: string;
  /** Who changed it, in words. */
  by: string;
  /** As the agent saw it; undefined when that was too long to keep. */
  seen: string | undefined;
  current: string;
}

/** Undefined for what the agent has seen as it is, and for what it has not seen at all. */
export function staleFile(
  reads: ReadVersions,
  agentId: string,
  path: string,
  { text, version }: TextContent,
): StaleFile | undefined {
  const seen = reads.seen(agentId, path);
  if (!seen || seen.version === version) return undefined;
  return { path, by: reads.changedBy(agentId, path, version), seen: seen.text, current: text };
}

/** Refuses what needs the whole file as the agent saw it, and says what changed and by whom. */
export function refuseStale(reads: ReadVersions, agentId: string, path: string, content: TextContent): void {
  const stale = staleFile(reads, agentId, path, content);
  if (stale !== undefined) throw staleError(stale);
}

export function staleError({ path, by, seen, current }: StaleFile): ToolError {
  const changes = seen === undefined ? "" : `\n${hunksText(diffLines(seen, current))}`;
  return new ToolError(
    `${path} changed since you read it by ${by}. Read it again, then edit what it holds now.${changes}`,
  );
}

/** What an edit that needs only some lines of a stale file makes of the text it has now; throws when those changed. */
export function editedText(stale: StaleFile, edit: (text: string) => string, everyPlace = false): string {
  const { seen, current } = stale;
  const before = seen === undefined ? undefined : attempt(edit, seen);
  if (seen === undefined || before === undefined || before === "ambiguous") throw staleError(stale);
  const again = attempt(edit, current);
  return made(stale, rebased({ seen, wanted: before.text, current, again, everyPlace }));
}

/** What a new text of a whole stale file makes of the text it has now; throws where both changed the same lines. */
export function mergedText(stale: StaleFile, write: (before: string) => string): string {
  const { seen, current } = stale;
  if (seen === undefined) throw staleError(stale);
  return made(stale, merged(seen, current, write(seen)));
}

function made(stale: StaleFile, text: string | undefined): string {
  if (text === undefined) throw staleError(stale);
  if (text !== stale.current) return text;
  throw new EditError("no-change", `${stale.path} has this change already, made by ${stale.by}: nothing to write.`);
}

function attempt(edit: (text: string) => string, text: string): { text: string } | "ambiguous" | undefined {
  try {
    return { text: edit(text) };
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    return error.kind === "ambiguous" ? "ambiguous" : undefined;
  }
}

/** The result, with what else changed in files since the agent saw them. */
export function withOtherChanges<Result extends { content: string }>(
  result: Result,
  stale: readonly StaleFile[],
): Result {
  const notes = stale.map(({ path, by, seen, current }) => {
    const changes = seen === undefined ? "" : `\n${hunksText(diffLines(seen, current))}`;
    return `${path} changed since you read it by ${by}, in other lines than this edit needs. The edit was made for the text with these changes:${changes}`;
  });
  return notes.length === 0 ? result : { ...result, content: [result.content, ...notes].join("\n") };
}
