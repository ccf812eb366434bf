import { foldersToVisit, visitFolders } from "./folderTour.ts";
import { readReports } from "./question.ts";
import { type Call, gather, type Step, type Work } from "./step.ts";
import { readNumberedLines, readPaths } from "./toolTexts.ts";

const looking: Call[] = [
  { name: "list_files", arguments: { depth: 3 } },
  { name: "find_files", arguments: { pattern: "**/README*", limit: 20 } },
];
const shownLines = 60;

/** "Show me around": what the README says first, the tree of files, and what explorers find in the fullest folders. */
export function showAround(work: Work): Step {
  const looked = gather(work, looking);
  if (looked.missing.length > 0) return { type: "calls", text: "Looking around.", calls: looked.missing };
  const [tree, found] = looked.outcomes;
  if (tree === undefined || tree.isError)
    return { type: "answer", text: `There is nothing to show: ${tree?.text ?? ""}` };
  const readme = found === undefined || found.isError ? undefined : nearestTop(readPaths(found.text));
  const reading: Call[] =
    readme === undefined ? [] : [{ name: "read_file", arguments: { path: readme, end_line: 80 } }];
  const read = gather(work, reading);
  if (read.missing.length > 0) return { type: "calls", text: `Reading \`${readme}\`.`, calls: read.missing };
  const folders = work.agents.has("explore") ? foldersToVisit(tree.text) : [];
  const visited = gather(work, folders.length === 0 ? [] : [visitFolders(folders)]);
  if (visited.missing.length > 0) {
    const text = `I send ${folders.length} explorers, one into each of the fullest folders.`;
    return { type: "calls", text, calls: visited.missing };
  }
  const reports = visited.outcomes.flatMap((outcome) => readReports(outcome.text).reports);
  const opening = read.outcomes[0] === undefined ? "" : firstParagraph(read.outcomes[0].text);
  const lines = tree.text.split("\n");
  const shown = lines.length > shownLines ? [...lines.slice(0, shownLines), "…"] : lines;
  const text = [
    ...(opening === "" ? [] : [`\`${readme}\` says:`, `> ${opening}`]),
    "The files:",
    `\`\`\`\n${shown.join("\n")}\n\`\`\``,
    ...(reports.length === 0 ? [] : ["What the explorers found:", reports.join("\n")]),
    whatNext(reports.join("\n")),
    "_I find places by rules; I do not understand code._",
  ];
  return { type: "answer", text: text.join("\n\n") };
}

/** Names of this project make requests that can be tried as they stand. */
function whatNext(found: string): string {
  const name = /` function `([\p{L}_$][\p{L}\p{N}_$]*)`/u.exec(found)?.[1];
  if (name === undefined) return "Ask me where something is: “Where is … computed?”";
  return [
    "Try next:",
    `- “Where is \`${name}\` used?” sends explorers who search from three sides.`,
    `- “replace \`${name}\` with \`${name}2\`” proposes edits: you accept or reject each of them.`,
  ].join("\n");
}

function nearestTop(paths: readonly string[]): string | undefined {
  return paths.toSorted((a, b) => a.split("/").length - b.split("/").length || a.localeCompare(b))[0];
}

/** The first lines that are neither a heading nor a badge. */
function firstParagraph(text: string): string {
  const lines = readNumberedLines(text).map((line) => line.text.trim());
  const start = lines.findIndex((line) => /^[\p{L}\p{N}*_"“(]/u.test(line) && !line.startsWith("[!"));
  if (start < 0) return "";
  const length = lines.slice(start).indexOf("");
  return lines.slice(start, length < 0 ? undefined : start + length).join(" ");
}
