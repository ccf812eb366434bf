import { inlineCode } from "../report.ts";
import { type Call, gather, type Step, type Work } from "../step.ts";
import { readMatches } from "../toolTexts.ts";

const shownTodos = 20;
const searching: Call = {
  name: "search_text",
  arguments: { query: "\\b(TODO|FIXME)\\b", regex: true, case_sensitive: true, limit: 200 },
};

/** For "fix the TODO" without a file: which there are. */
export function listTodos(work: Work): Step {
  const { outcomes, missing } = gather(work, [searching]);
  if (missing.length > 0) return { type: "calls", text: "Looking for TODOs.", calls: missing };
  const outcome = outcomes[0];
  if (outcome === undefined || outcome.isError)
    return { type: "answer", text: `The search failed: ${outcome?.text ?? ""}` };
  const found = [...readMatches(outcome.text)].flatMap(([path, lines]) =>
    lines.map(({ line, text }) => `- \`${path}:${line}\` ${inlineCode(text.trim())}`),
  );
  if (found.length === 0) return { type: "answer", text: "There is no TODO in this workspace." };
  const more = found.length > shownTodos ? [`- and ${found.length - shownTodos} more`] : [];
  const question = "Which one? Say for example “fix the TODO in” with the file, and its line where there are several.";
  return { type: "answer", text: [question, "", ...found.slice(0, shownTodos), ...more].join("\n") };
}
