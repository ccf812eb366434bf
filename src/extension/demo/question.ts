import { type DemoCall, type DemoStep, gather, type Work } from "./conversation.ts";
import { type Angle, explore, inlineCode, parseReport } from "./explore.ts";
import { describeTerms, parseQuery, type Query } from "./query.ts";
import type { Finding } from "./ranking.ts";

const tasks: readonly { angle: Angle; task: string }[] = [
  { angle: "names", task: "Search the names of functions, classes and variables, and report where they are declared." },
  { angle: "files", task: "Search the names of files and folders, and report what the closest files hold." },
  { angle: "text", task: "Search all text, comments and uses included, and report the lines that say most." },
];

const maxOthers = 4;
const disclaimer = "_The demo model ranks words by rules; it does not understand code._";

/** Answers a question: explorers look from several sides, their reports are merged. */
export function answerQuestion(text: string, work: Work): DemoStep {
  const query = parseQuery(text);
  if (!work.agents.has("explore")) {
    const step = explore(query, ["names", "files", "text"], work);
    return step.type === "calls" ? step : answerFrom(query, { reports: [step.text], failed: [] });
  }
  const context = `Question: ${query.text}`;
  const briefs = tasks.map(({ task }) => ({ agent: "explore", task, context }));
  const spawning: DemoCall = { name: "spawn_agents", arguments: { tasks: briefs } };
  const { outcomes, missing } = gather(work, [spawning]);
  if (missing.length === 0) return answerFrom(query, parseReports(outcomes[0]?.text ?? ""));
  const intro = `Sending ${tasks.length} explorers: names, files and text.`;
  return { type: "calls", text: intro, calls: missing };
}

/** The explorer's side: its angle and the question behind its task. All angles for a task that is not from here. */
export function parseExplorerTask(task: string, context: string): { query: Query; angles: Angle[] } {
  const question = /^Question: (.+)$/ms.exec(context)?.[1] ?? task;
  const sent = tasks.find((entry) => entry.task === task.trim());
  return { query: parseQuery(question), angles: sent === undefined ? ["names", "text", "files"] : [sent.angle] };
}

interface Reports {
  reports: string[];
  failed: string[];
}

/** The result of `spawn_agents`: the agents' reports, and why others have none. */
function parseReports(text: string): Reports {
  let entries: unknown;
  try {
    entries = JSON.parse(text);
  } catch {
    // An error is plain text.
  }
  if (!Array.isArray(entries)) return { reports: [], failed: [text] };
  const textOf = (key: string) =>
    entries.flatMap((entry: Record<string, unknown> | null) => {
      const value = entry?.[key];
      return typeof value === "string" ? [value] : [];
    });
  return { reports: textOf("result"), failed: textOf("error") };
}

function answerFrom(query: Query, { reports, failed }: Reports): DemoStep {
  const parsed = reports.map(parseReport);
  const failures = new Set([...failed, ...parsed.flatMap((report) => report.failed)]);
  const ending = [...[...failures].map((failure) => `Not all went well: ${failure}`), disclaimer];
  const [best, ...others] = mergeFindings(parsed.flatMap(({ findings }) => findings));
  return { type: "answer", text: [...answerLines(query, best, others), ...ending].join("\n\n") };
}

function answerLines(query: Query, best: Finding | undefined, others: readonly Finding[]): string[] {
  if (best === undefined)
    return [
      `I found nothing about ${describeTerms(query, " or ")} in this workspace. I look for the words of a question, in English.`,
    ];
  const near = others.filter((finding) => finding.points >= best.points * 0.2);
  const fence = best.text.includes("```") ? "````" : "```";
  const language = /\.(\w+)$/.exec(best.path)?.[1] ?? "";
  const list = near.slice(0, maxOthers).map((one) => `- ${formatRange(one)} ${one.reason}: ${inlineCode(one.text)}`);
  return [
    `Most likely in ${formatRange(best)}, which ${best.reason}:`,
    `${fence}${language}\n${best.text}\n${fence}`,
    ...(list.length === 0 ? [] : [`Also worth a look:\n${list.join("\n")}`]),
  ];
}

function formatRange({ path, line }: Finding): string {
  return `\`${path}:${line}\``;
}

/** The same line from several explorers is one finding, a little surer each time. */
function mergeFindings(findings: readonly Finding[]): Finding[] {
  const merged = new Map<string, Finding>();
  for (const finding of findings) {
    const key = `${finding.path}:${finding.line}`;
    const known = merged.get(key);
    const better = known === undefined || known.points < finding.points ? finding : known;
    merged.set(key, known === undefined ? finding : { ...better, points: better.points * 1.05 });
  }
  return [...merged.values()].toSorted((a, b) => b.points - a.points);
}
