import { t } from "@vscode/l10n";
import * as z from "zod";
import type { PanelAccess } from "./dependencies.ts";
import { defineEditorTool } from "./editorTool.ts";

const schema = z.object({
  question: z.string().trim().min(1).max(4_000).describe("One question, with what is needed to answer it."),
  options: z
    .array(z.string().trim().min(1).max(200))
    .max(8)
    .optional()
    .describe("Answers to choose from. The user may write another one."),
});

/** Asks the user in the panel and waits for the answer. */
export const askUserTool = defineEditorTool(
  { name: "ask_user", access: "none", kind: "question" },
  ({ ask }: PanelAccess) => ({
    label: t("Ask the user"),
    description: "Asks the user one question and waits. Only for what you can neither find out nor decide yourself.",
    schema,
    async execute({ question, options = [] }, { agent, callId, signal }) {
      const answer = await ask({ agent, callId, text: question, options: [...new Set(options)] }, signal);
      const content = answer === "" ? "The user gave no answer: decide yourself." : `The user answered: ${answer}`;
      return { content, details: { answer } };
    },
  }),
);
