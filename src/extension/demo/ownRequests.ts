import { requests } from "../common/requests.ts";
import type { Intent } from "./intent.ts";

/** A request of Arbor's own commands, as far as rules can meet it. */
export interface OwnRequest {
  intent: Intent;
  /** What the user wrote below it. */
  added: string;
}

/** What a command of Arbor's asks for, in whatever language it does; `attached` are the files that came with it. */
export function readOwnRequest(text: string, attached: readonly string[]): OwnRequest | undefined {
  const [file] = attached;
  const explained: Intent = file === undefined ? { type: "unknown" } : { type: "outline", file };
  const { explainCode, explainFile, explainWhy, fixCode, fixShownProblems } = requests;
  const plain: [words: string, intent: Intent][] = [
    [explainWhy(), explained],
    [explainFile(), explained],
    [explainCode(), explained],
    [fixShownProblems(), { type: "problems" }],
    [fixCode(), { type: "problems" }],
  ];
  const found = plain.find(([words]) => text === words || text.startsWith(`${words}\n\n`));
  if (found !== undefined) return { intent: found[1], added: text.slice(found[0].length).trim() };
  // Below these stands what the editor reports.
  const [head = ""] = text.split("\n", 1);
  const isFix = [requests.fixFile, requests.fixProblem, requests.fixProblems].some((words) => isAbout(head, words));
  return isFix ? { intent: { type: "problems" }, added: "" } : undefined;
}

function isAbout(line: string, words: (path: string) => string): boolean {
  const [before = "", after = ""] = words("\0").split("\0");
  return line.length > before.length + after.length && line.startsWith(before) && line.endsWith(after);
}
