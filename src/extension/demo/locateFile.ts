import { type Call, gather, type Step, type Work } from "./step.ts";
import { readPaths } from "./toolTexts.ts";

const shownCandidates = 8;

/** The file that a user means by a path or the end of one; else what to do or say next. */
export function locateFile(file: string, work: Work): { path: string } | { step: Step } {
  const path = file.replace(/^\.?\//, "");
  const finding: Call = { name: "find_files", arguments: { pattern: `**/${path}`, limit: 20 } };
  const { outcomes, missing } = gather(work, [finding]);
  if (missing.length > 0) return { step: { type: "calls", text: `Looking for \`${path}\`.`, calls: missing } };
  const outcome = outcomes[0];
  if (outcome === undefined || outcome.isError)
    return answer(`\`${path}\` can't be looked for: ${outcome?.text ?? ""}`);
  const found = readPaths(outcome.text).toSorted();
  const exact = found.find((candidate) => candidate === path) ?? (found.length === 1 ? found[0] : undefined);
  if (exact !== undefined) return { path: exact };
  if (found.length === 0) return answer(`There is no file \`${path}\` in this workspace.`);
  const list = found.slice(0, shownCandidates).map((candidate) => `- \`${candidate}\``);
  return answer(`Several files end in \`${path}\`. Name one of them:\n\n${list.join("\n")}`);
}

function answer(text: string): { step: Step } {
  return { step: { type: "answer", text } };
}
