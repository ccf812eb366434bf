import { diffLines } from "../review/hunks/diffLines.ts";
import { UserError } from "../userError.ts";
import { hunksText } from "./hunkText.ts";
import type { TextContent } from "./openText.ts";
import type { ReadVersions } from "./readVersions.ts";

/** Refuses to edit a file that changed since the agent saw it, and says what changed and by whom. */
export function refuseStale(reads: ReadVersions, agentId: string, path: string, { text, version }: TextContent): void {
  const seen = reads.seen(agentId, path);
  if (!seen || seen.version === version) return;
  const by = reads.changedBy(agentId, path, version);
  const changes = seen.text === undefined ? "" : `\n${hunksText(diffLines(seen.text, text))}`;
  throw new UserError(
    `${path} changed since you read it by ${by}. Read it again, then edit what it holds now.${changes}`,
  );
}
