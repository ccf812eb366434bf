import { explore } from "./explore.ts";
import type { Finding } from "./rank.ts";
import { inlineCode, readReport } from "./report.ts";
import type { Angle } from "./searches.ts";
import { type Call, gather, type Step, type Work } from "./step.ts";
import { type Query, readQuery } from "./words.ts";

const angles: readonly { angle: Angle; task: string }[] = [
  { angle: "names", task: "Search the names of functions, classes and variables, and report where they are declared." },
  { angle: "files", task: "Search the names of files and folders, and report what the closest files hold." },
  { angle: "text", task: "Search all text, comments and uses included, and report the lines that say most." },
];

const otherPlaces = 4;

/** Answers a question: explorers look from several sides, their reports are merged. */
export function answerQuestion(text: string, work: Work): Step {
  const query = readQuery(text);
  if (!work.agents.has("explore")) return answerAlone(query, work);
  const spawning = spawnCall(query);
  const { outcomes, missing } = gather(work, [spawning]);
  if (missing.length > 0) {
    const count = angles.length;
    return {
      type: "calls",
      text: `I send ${count} explorers to look from ${count} sides: names, files and text.`,
      calls: missing,
    };
  }
  return { type: "answer", text: composeAnswer(query, readReports(outcomes[0]?.text ?? "")) };
}

/** The angle an explorer was sent from, and the question behind it. All angles when somebody else asks. */
export function readExplorerTask(task: string, context: string): { query: Query; angles: Angle[] } {
  const question = /^Question: (.+)$/ms.exec(context)?.[1] ?? task;
  const sent = angles.find((entry) => entry.task === task.trim());
  return { query: readQuery(question), angles: sent === undefined ? ["names", "text", "files"] : [sent.angle] };
}

function spawnCall(query: Query): Call {
  const tasks = angles.map(({ task }) => ({ agent: "explore", task, context: `Question: ${query.text}` }));
  return { name: "spawn_agents", arguments: { tasks } };
}

function answerAlone(query: Query, work: Work): Step {
  const step = explore(query, ["names", "files", "text"], work);
  return step.type === "calls"
    ? step
    : { type: "answer", text: composeAnswer(query, { reports: [step.text], faults: [] }) };
}

interface Reports {
  reports: string[];
  faults: string[];
}

/** What a call for several agents brought: their answers, and why others have none. */
export function readReports(text: string): Reports {
  const entries = parseJson(text);
  if (!Array.isArray(entries)) return { reports: [], faults: [text] };
  const reports: string[] = [];
  const faults: string[] = [];
  for (const entry of entries as unknown[]) {
    if (typeof entry !== "object" || entry === null) continue;
    if ("result" in entry && typeof entry.result === "string") reports.push(entry.result);
    if ("error" in entry && typeof entry.error === "string") faults.push(entry.error);
  }
  return { reports, faults };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function composeAnswer(query: Query, { reports, faults }: Reports): string {
  const findings = mergeFindings(reports.map(readReport));
  const searchFaults = reports.flatMap((report) =>
    [...report.matchAll(/^A search failed: (.+)$/gm)].map((match) => match[1] ?? ""),
  );
  const trouble = [...new Set([...faults, ...searchFaults])].map((fault) => `Not all went well: ${fault}`);
  const [best, ...others] = findings;
  if (best === undefined) {
    const words = query.terms.map((term) => `“${term.word}”`).join(" or ");
    return [`I found nothing about ${words} in this workspace.`, ...trouble, disclaimer].join("\n\n");
  }
  const near = others.filter((finding) => finding.points >= best.points * 0.2);
  if (query.wantsUses) return [listUses(query, [best, ...near]), ...trouble, disclaimer].join("\n\n");
  const list = near
    .slice(0, otherPlaces)
    .map((finding) => `- ${place(finding)} ${finding.reason}: ${inlineCode(finding.text)}`);
  return [
    `Most likely in ${place(best)}, which ${best.reason}:`,
    fenced(best),
    ...(list.length === 0 ? [] : [`Also worth a look:\n${list.join("\n")}`]),
    ...trouble,
    disclaimer,
  ].join("\n\n");
}

const listedUses = 15;

/** Uses in the order of the files rather than by points: each of them is an answer. */
function listUses(query: Query, findings: readonly Finding[]): string {
  const words = query.terms.map((term) => `“${term.word}”`).join(", ");
  const listed = findings
    .slice(0, listedUses)
    .toSorted((a, b) => a.path.localeCompare(b.path) || a.line - b.line)
    .map((finding) => `- ${place(finding)}: ${inlineCode(finding.text)}`);
  const more = findings.length > listedUses ? [`- and ${findings.length - listedUses} more`] : [];
  return [`Lines that use ${words}:`, ...listed, ...more].join("\n");
}

function place({ path, line }: Finding): string {
  return `\`${path}:${line}\``;
}

const disclaimer = "_The demo model ranks words by rules; it does not understand code._";

function fenced({ path, text }: Finding): string {
  const language = /\.(\w+)$/.exec(path)?.[1] ?? "";
  const fence = text.includes("```") ? "````" : "```";
  return `${fence}${language}\n${text}\n${fence}`;
}

/** The same line from several explorers is one finding, a little surer each time. */
function mergeFindings(reports: readonly Finding[][]): Finding[] {
  const merged = new Map<string, Finding>();
  for (const finding of reports.flat()) {
    const key = `${finding.path}:${finding.line}`;
    const known = merged.get(key);
    if (known === undefined) merged.set(key, finding);
    else
      merged.set(key, {
        ...(known.points >= finding.points ? known : finding),
        points: Math.max(known.points, finding.points) * 1.05,
      });
  }
  return [...merged.values()].toSorted((a, b) => b.points - a.points);
}
