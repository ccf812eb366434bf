import * as z from "zod";
import type { Rule, Work } from "./conversation.ts";
import { type Angle, explore, parseReport } from "./explore.ts";
import { fenced, inlineCode, paragraphs } from "./markdown.ts";
import { describeTerms, parseQuery, type Query } from "./query.ts";
import type { Finding } from "./ranking.ts";

const angles = ["names", "files", "text"] as const satisfies readonly Angle[];
const tasks: Readonly<Record<Angle, string>> = {
  names: "Search the names of functions, classes and variables, and report where they are declared.",
  files: "Search the names of files and folders, and report what the closest files hold.",
  text: "Search all text, comments and uses included, and report the lines that say most.",
};

const maxOthers = 4;
const disclaimer = "_The demo model ranks words by rules; it does not understand code._";

/** Answers a question: explorers look from several sides, their reports are merged. */
export function* answerQuestion(text: string, { tools, agents }: Work): Rule {
  const query = parseQuery(text);
  if (!agents.has("explore")) {
    const report = yield* explore(query, angles, tools);
    return mergeReports(query, [{ result: report }]);
  }
  const context = `Question: ${query.text}`;
  const briefs = angles.map((angle) => ({ agent: "explore", task: tasks[angle], context }));
  const [result] = yield {
    text: `Sending ${angles.length} explorers: names, files and text.`,
    calls: [{ name: "spawn_agents", arguments: { tasks: briefs } }],
  };
  return mergeReports(query, parseReports(result?.text ?? ""));
}

/** The explorer's side: its angle and the question behind its task. All angles for a task that is not from here. */
export function parseExplorerTask(task: string, context: string): { query: Query; angles: readonly Angle[] } {
  const question = /^Question: (.+)$/ms.exec(context)?.[1] ?? task;
  const sent = angles.filter((angle) => tasks[angle] === task.trim());
  return { query: parseQuery(question), angles: sent.length === 0 ? angles : sent };
}

/** The result of `spawn_agents`: the report of each agent, or why it has none. */
const reported = z.array(z.object({ result: z.string().optional(), error: z.string().optional() }));

function parseReports(text: string): z.infer<typeof reported> {
  try {
    return reported.parse(JSON.parse(text));
  } catch {
    // An error is plain text.
    return [{ error: text }];
  }
}

function mergeReports(query: Query, reports: z.infer<typeof reported>): string {
  const parsed = reports.flatMap(({ result }) => (result === undefined ? [] : parseReport(result)));
  const failures = new Set([...reports.flatMap(({ error }) => error ?? []), ...parsed.flatMap(({ failed }) => failed)]);
  const ending = [...[...failures].map((failure) => `Not all went well: ${failure}`), disclaimer];
  const [best, ...others] = mergeFindings(parsed.flatMap(({ findings }) => findings));
  if (best === undefined) {
    const nothing = `I found nothing about ${describeTerms(query, " or ")} in this workspace.`;
    return [`${nothing} I look for the words of a question, in English.`, ...ending].join("\n\n");
  }
  const near = others.filter((finding) => finding.points >= best.points * 0.2).slice(0, maxOthers);
  const list = near.map(({ path, line, reason, text }) => `- \`${path}:${line}\` ${reason}: ${inlineCode(text)}`);
  return paragraphs(
    `Most likely in \`${best.path}:${best.line}\`, which ${best.reason}:`,
    fenced([best.text], /\.(\w+)$/.exec(best.path)?.[1]),
    list.length === 0 ? "" : `Also worth a look:\n${list.join("\n")}`,
    ...ending,
  );
}

/** The same line from several explorers is one finding, a little surer each time. */
function mergeFindings(findings: readonly Finding[]): Finding[] {
  const merged = new Map<string, Finding>();
  for (const finding of findings.toSorted((a, b) => b.points - a.points)) {
    const key = `${finding.path}:${finding.line}`;
    const known = merged.get(key);
    merged.set(key, known === undefined ? finding : { ...known, points: known.points * 1.05 });
  }
  return [...merged.values()].toSorted((a, b) => b.points - a.points);
}
