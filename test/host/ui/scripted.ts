/** What the scripted model answers, in the words most driven tests need. */
import type { Rule, Step } from "../../support/fakeProvider/script.ts";

/** The model's `index`-th answer (from 0) after the user's message with that text. */
export const turn = (question: string, index: number, steps: Step[]): Rule => ({
  when: { lastUser: question, turn: index },
  reply: { steps },
});

export const readStep = (path: string): Step => ({ tool: "read_file", arguments: { path } });

/** Replaces texts of a file: pairs of old and new. */
export const editStep = (path: string, ...edits: (readonly [string, string])[]): Step => ({
  tool: "edit_file",
  arguments: { path, edits: edits.map(([old_text, new_text]) => ({ old_text, new_text })) },
});
