import { type Call, gather, type Step, type Work } from "./step.ts";

/** Hands an edit to the edit agent; its report is the answer. */
export function delegateEdit(task: string, work: Work): Step {
  const delegating: Call = {
    name: "delegate_to_agent",
    arguments: { agent: "edit", task, context: "The user asked for this edit in these words." },
  };
  const { outcomes, missing } = gather(work, [delegating]);
  if (missing.length > 0) return { type: "calls", text: "I hand this to the edit agent.", calls: missing };
  const outcome = outcomes[0];
  if (outcome === undefined || outcome.isError) {
    return { type: "answer", text: `The edit agent did not get through: ${outcome?.text ?? "it said nothing"}` };
  }
  // What the user told the agent meanwhile is in its report already.
  return { type: "answer", text: outcome.text.replace(/\n*<user_steering>[\s\S]*<\/user_steering>\s*$/, "") };
}
