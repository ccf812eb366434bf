import { type Call, gather, type Step, type Work } from "./step.ts";

const asking: Call = { name: "get_diagnostics", arguments: {} };

/** "Fix the problems": rules can't, but they can show them. */
export function listProblems(work: Work): Step {
  const { outcomes, missing } = gather(work, [asking]);
  if (missing.length > 0) return { type: "calls", text: "Asking the editor for its problems.", calls: missing };
  const outcome = outcomes[0];
  if (outcome === undefined || outcome.isError)
    return { type: "answer", text: `The editor could not tell: ${outcome?.text ?? ""}` };
  if (!/^\S.*:\d+:\d+ /m.test(outcome.text)) return { type: "answer", text: outcome.text };
  const list = outcome.text.split("\n").map((line) => `- ${line.replace(/^(\S.*?:\d+)(:\d+) /, "`$1` ")}`);
  const text = [
    "The editor reports:",
    list.join("\n"),
    "_The demo model's rules can't fix these; a language model can._",
  ];
  return { type: "answer", text: text.join("\n\n") };
}
