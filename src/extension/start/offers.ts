import { basename } from "node:path/posix";
import { t } from "@vscode/l10n";
import type { PanelStatus } from "../../protocol/messages.ts";

/** What there is in this workspace to do something about. */
export interface WorkspaceFacts {
  /** Errors and warnings that the editor shows. */
  problems: number;
  /** Files that differ from the last commit. */
  changes: number;
  /** The first one in the code. */
  todo?: { path: string; line: number; text: string };
  /** How the project's tests are run. */
  testCommand?: string;
  hasReadme: boolean;
  activeFile?: string;
}

type Offer = NonNullable<PanelStatus["offers"]>[number];

const maxOffers = 3;

/** What the demo answers by sending agents, in any project. */
export const demoQuestion = "Where is the test of the main function?";

/**
 * Three things to do in this workspace, from what is there. The demo follows rules: it shows a project and finds things,
 * so that nothing is offered there which takes a model. Prompts are for the model: they are English in every language.
 */
export function findOffers(facts: WorkspaceFacts, isDemo: boolean): Offer[] {
  const { activeFile } = facts;
  if (isDemo) return demoOffers(facts);
  const tour = tourOffer(facts);
  const work = [problemsOffer(facts), changesOffer(facts), todoOffer(facts), testsOffer(facts)].filter(
    (offer) => offer !== undefined,
  );
  const explain = activeFile === undefined ? [] : [explainOffer(activeFile)];
  const first = work.slice(0, maxOffers - 1);
  return [...first, tour, ...explain, ...work.slice(first.length)].slice(0, maxOffers);
}

function demoOffers({ activeFile, testCommand }: WorkspaceFacts): Offer[] {
  const explain = activeFile === undefined ? [] : [explainOffer(activeFile)];
  const tests = { icon: "beaker", label: t("Run the tests"), prompt: `Run \`${testCommand}\``, attachments: [] };
  return [tourOffer({ hasReadme: true }), ...explain, ...(testCommand === undefined ? [] : [tests])];
}

function problemsOffer({ problems }: WorkspaceFacts): Offer | undefined {
  if (problems === 0) return undefined;
  const label = problems === 1 ? t("Fix 1 problem") : t("Fix {0} problems", problems);
  return {
    icon: "wrench",
    label,
    prompt: "Fix the problems that the editor reports.",
    attachments: [{ kind: "problems" }],
  };
}

function changesOffer({ changes }: WorkspaceFacts): Offer | undefined {
  if (changes === 0) return undefined;
  const label = changes === 1 ? t("Review 1 changed file") : t("Review {0} changed files", changes);
  return {
    ...{ icon: "git-compare", label },
    prompt: "Review my uncommitted changes: bugs first, then what is missing.",
    attachments: [{ kind: "diff" }],
  };
}

function todoOffer({ todo }: WorkspaceFacts): Offer | undefined {
  if (todo === undefined) return undefined;
  const position = `${todo.path}:${todo.line}`;
  return {
    ...{ icon: "checklist", label: t("Do the TODO in {0}", `${basename(todo.path)}:${todo.line}`) },
    prompt: `Do what the comment in ${position} says, and check that it works: ${todo.text}`,
    attachments: [{ kind: "file", path: todo.path }],
  };
}

function testsOffer({ testCommand }: WorkspaceFacts): Offer | undefined {
  if (testCommand === undefined) return undefined;
  return {
    ...{ icon: "beaker", label: t("Run the tests and fix what fails") },
    prompt: `Run the tests with \`${testCommand}\`. Fix what fails, and say what it was.`,
    attachments: [],
  };
}

function tourOffer({ hasReadme }: Pick<WorkspaceFacts, "hasReadme">): Offer {
  if (hasReadme) {
    return {
      ...{ icon: "map", label: t("Show me around this project") },
      prompt: "Give me a tour of this project: what it does and where things are.",
      attachments: [],
    };
  }
  return {
    ...{ icon: "book", label: t("Write a README for this project") },
    prompt: "Read this project and write a README.md: what it does, how to run it, where things are.",
    attachments: [],
  };
}

function explainOffer(path: string): Offer {
  return {
    ...{ icon: "comment-discussion", label: t("Explain {0}", basename(path)) },
    prompt: `Explain ${path}`,
    attachments: [{ kind: "file", path }],
  };
}
