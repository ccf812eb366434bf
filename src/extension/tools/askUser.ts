import { t } from "@vscode/l10n";
import * as z from "zod";
import { ToolError } from "../common/userError.ts";
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

/** The buttons of approvals, as they are in English and as the user reads them. */
function looksLikeApproval(option: string): boolean {
  const plain = (text: string) =>
    text
      .normalize("NFKC")
      .replace(/[^\p{L}]/gu, "")
      .toLowerCase();
  const buttons = ["Accept", "Allow", "Allow once", "Always allow", "Approve", "Deny", "Reject", "Run"];
  const shown = [t("Accept"), t("Allow"), t("Reject"), t("Run")];
  return [...buttons, ...shown].some((button) => plain(button) === plain(option));
}

/** Asks the user in the panel and waits for the answer. */
export const askUserTool = defineEditorTool(
  { name: "ask_user", access: "none", kind: "question" },
  ({ ask }: PanelAccess) => ({
    label: t("Ask the user"),
    description: "Asks the user one question and waits. Only for what you can neither find out nor decide yourself.",
    schema,
    async execute({ question, options = [] }, { agent, callId, signal }) {
      const posing = options.find(looksLikeApproval);
      if (posing !== undefined) {
        throw new ToolError(
          `${JSON.stringify(posing)} reads like the button of an approval, and an answer here allows nothing. Use other words, or call the tool: the user is then asked.`,
        );
      }
      const answer = await ask(
        { agent, callId, text: question, options: [...new Set(options)], mayAskAgain: true },
        signal,
      );
      const content = answer === "" ? "The user gave no answer: decide yourself." : `The user answered: ${answer}`;
      return { content, details: { answer } };
    },
  }),
);
