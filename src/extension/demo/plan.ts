import { assertNever } from "../../agent/vocabulary/errors.ts";
import type { ModelRequest } from "../../agent/vocabulary/model.ts";
import { type Conversation, readConversation, type Task, workAfter } from "./conversation.ts";
import { explore } from "./explore.ts";
import { readVisit, visitFolder } from "./folderTour.ts";
import { readIntent } from "./intent.ts";
import { introduction, withoutTools } from "./introduction.ts";
import { outlineFile } from "./outline.ts";
import { listProblems } from "./problemList.ts";
import { answerQuestion, readExplorerTask } from "./question.ts";
import { replaceText } from "./replace.ts";
import type { Step, Work } from "./step.ts";
import { summarize, wantsSummary } from "./summarize.ts";
import { fixTodo } from "./todo/fixTodo.ts";
import { showAround } from "./tour.ts";

/** What the demo model answers to a request: rules that see no more than any other model does. */
export function plan(request: ModelRequest): Step {
  if (wantsSummary(request)) return { type: "answer", text: summarize(request) };
  const conversation = readConversation(request);
  const answers: string[] = [];
  let done = 0;
  for (const task of conversation.tasks) {
    const { step, rounds } = workOn(task, conversation, done);
    if (step.type === "calls") return { ...step, text: [...answers, step.text].join("\n\n") };
    answers.push(step.text);
    done = rounds;
  }
  return { type: "answer", text: answers.length === 0 ? introduction : answers.join("\n\n") };
}

/**
 * A task's next step. What was found for an earlier task does not count for it: files may have changed since. So a task
 * takes the rounds after those that the earlier ones needed.
 */
function workOn(task: Task, conversation: Conversation, from: number): { step: Step; rounds: number } {
  for (let rounds = from; ; rounds++) {
    const step = nextStep(task, conversation, workAfter(conversation, conversation.rounds.slice(from, rounds)));
    if (step.type === "answer" || rounds >= conversation.rounds.length) return { step, rounds };
  }
}

function nextStep(task: Task, { agentName, tools }: Conversation, work: Work): Step {
  if (!tools.has("search_text")) return { type: "answer", text: withoutTools };
  const isExplorer = agentName === "explore" || (task.context !== "" && !tools.has("edit_file"));
  if (isExplorer) {
    const folder = readVisit(task.text);
    if (folder !== undefined) return visitFolder(folder, work);
    const { query, angles } = readExplorerTask(task.text, task.context);
    return query.terms.length === 0 ? { type: "answer", text: introduction } : explore(query, angles, work);
  }
  const intent = readIntent(task.text, task.attached);
  switch (intent.type) {
    case "question":
      return answerQuestion(intent.text, work);
    case "replace":
      return replaceText(intent.request, task.text, work);
    case "todo":
      return fixTodo(intent.request, task.text, work);
    case "outline":
      return outlineFile(intent.file, work);
    case "problems":
      return listProblems(work);
    case "tour":
      return showAround(work);
    case "unknown":
      return { type: "answer", text: introduction };
    default:
      return assertNever(intent);
  }
}
