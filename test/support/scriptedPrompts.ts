import type { ModelItem } from "../../src/extension/models/setup/modelItems.ts";
import type { Prompts } from "../../src/extension/models/setup/prompts.ts";

/** Prompts that a script answers, and what they showed. */
export interface ScriptedPrompts extends Prompts {
  /** Labels of each list to choose from. */
  offered: string[][];
  /** Prompts of each text that was asked for. */
  asked: string[];
  /** Addresses of the pages that were offered, with choices and with texts. */
  pages: string[];
  /** What was said. */
  told: string[];
  /** What each model picker held. */
  pickers: ModelItem[][];
}

/**
 * Answers in their order: of a list the entry with that label or what is pasted there, of a text the text itself if it has no fault, of a
 * message the button. When the script is over, or has undefined, the user leaves.
 */
export function scriptedPrompts(...script: (string | undefined)[]): ScriptedPrompts {
  const answers = [...script];
  const prompts: ScriptedPrompts = {
    ...{ offered: [], asked: [], pages: [], told: [], pickers: [] },
    choose: async ({ choices, readPasted }) => {
      const labels = choices.map((choice) => choice.label);
      prompts.offered.push(labels);
      prompts.pages.push(...choices.flatMap(({ page }) => page?.url ?? []));
      const label = answers.shift();
      if (label === undefined) return undefined;
      const chosen = choices.find((choice) => choice.label === label);
      const pasted = chosen === undefined ? readPasted?.(label) : undefined;
      if (pasted !== undefined) return pasted;
      if (chosen === undefined) throw new Error(`There is no "${label}" among ${labels.join(", ")}.`);
      return chosen.value;
    },
    askText: async ({ prompt, page, findFault }) => {
      prompts.asked.push(prompt);
      if (page !== undefined) prompts.pages.push(page.url);
      const text = answers.shift();
      const fault = text === undefined ? undefined : findFault(text);
      if (fault !== undefined) throw new Error(fault);
      return text;
    },
    pickModel: async ({ items, refresh }) => {
      await refresh(false);
      const all = await items();
      prompts.pickers.push(all);
      const label = answers.shift();
      if (label === undefined) return undefined;
      const item = all.find((candidate) => candidate.label === label && candidate.type !== "group");
      if (item?.type === "action") return item.picked;
      return { type: "model", name: item?.type === "model" ? item.name : label };
    },
    showMessage: async (text, ...buttons) => {
      prompts.told.push(text);
      const [next] = answers;
      return next !== undefined && buttons.includes(next) ? answers.shift() : undefined;
    },
    during: (_title, task) => task(new AbortController().signal),
  };
  return prompts;
}
