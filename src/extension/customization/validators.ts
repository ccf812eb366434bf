import * as z from "zod";
import type { ExtendedHooks, TurnInfo } from "../../agent/vocabulary/hooks.ts";
import { type AgentMessage, type AssistantMessage, textOf, userMessage } from "../../agent/vocabulary/messages.ts";
import { planFolder } from "../prompts/agentPrompts.ts";
import { changesFiles } from "../tools/index.ts";
import type { AgentValidator } from "./agentFile.ts";

/** So often an agent is sent back to work. */
const maxAttempts = 3;

interface DoneCall {
  name: string;
  args: unknown;
  isError: boolean;
}

/** What of the editor validators look at. */
export interface ValidatorSources {
  /** How many problems the editor shows. */
  problemCount?(): number;
  /** Whether nothing may be run or written now: what needs that is not demanded. */
  isPlanning?(): boolean;
}

/**
 * Sends an agent back to work until what its file demands holds: it looks at what the agent has done, not at what it says.
 * For one agent: it counts how often it did.
 */
export function validatorHooks(
  validators: readonly AgentValidator[],
  { problemCount = () => 0, isPlanning = () => false }: ValidatorSources,
): Pick<ExtendedHooks, "beforeFinish"> {
  const before = problemCount();
  let attempt = 0;
  return {
    beforeFinish(turn) {
      if (attempt >= maxAttempts) return [];
      const possible = validators.filter((validator) => validator === "no-new-problems" || !isPlanning());
      const missing = possible.flatMap((validator) => feedbackOf(validator, turn, problemCount() - before) ?? []);
      attempt += 1;
      const feedback = missing.join("\n");
      turn.emit({ type: "validation", attempt, valid: missing.length === 0, ...(feedback !== "" && { feedback }) });
      if (missing.length === 0) return [];
      return [
        userMessage(
          `<validation>\nBefore you can end:\n${missing.map((each) => `- ${each}`).join("\n")}\n</validation>`,
        ),
      ];
    },
  };
}

/** What is missing; undefined where it holds, or where the agent has no tool for it. */
function feedbackOf(
  validator: AgentValidator,
  { context, message }: Pick<TurnInfo, "context" | "message">,
  newProblems: number,
): string | undefined {
  const calls = doneCalls(context.messages);
  const has = (tool: string) => context.tools.some(({ name }) => name === tool);
  const isDone = (test: (call: DoneCall) => boolean) => calls.some((call) => !call.isError && test(call));
  if (typeof validator !== "string") {
    if (!has("run_command")) return undefined;
    const { command } = validator;
    const since = calls.findLastIndex(({ name }) => changesFiles(name));
    const last = calls.findLastIndex((call) => commandOf(call) === command);
    if (last > since && calls[last]?.isError === false) return undefined;
    return `Run \`${command}\` after your last change, exactly like this, until it succeeds.`;
  }
  switch (validator) {
    case "diff-read": {
      if (
        hasDiff(context.messages) ||
        !has("run_command") ||
        isDone((call) => /\bgit\b.*\b(?:diff|show)\b/.test(commandOf(call)))
      )
        return undefined;
      return "Read the change itself: run git diff, or git show for a commit.";
    }
    case "tests-run":
      if (!has("run_command") || /\bnot tested\b/i.test(textOf(message)) || isDone(isTest)) return undefined;
      return 'Run the tests of what was changed. Where there are none or they can\'t run, report that with the words "Not tested:" and why.';
    case "no-new-problems":
      if (newProblems > 0) {
        return `The editor shows ${newProblems} problems more than when you began. Look at them with get_diagnostics: they are yours to fix or to report.`;
      }
      if (!has("get_diagnostics") || isDone(({ name }) => name === "get_diagnostics")) return undefined;
      return "Look at the problems of the files in question with get_diagnostics.";
    case "plan-written":
      if (!has("write_file") || isDone(writesPlan)) return undefined;
      return `Write the plan to a Markdown file in ${planFolder}.`;
    default:
      validator satisfies never;
      return undefined;
  }
}

/** The calls that were answered, in their order. */
function doneCalls(messages: readonly AgentMessage[]): DoneCall[] {
  const results = new Map(
    messages.flatMap((message) => (message.role === "toolResult" ? [[message.callId, message.isError] as const] : [])),
  );
  const asked = messages.filter((message): message is AssistantMessage => message.role === "assistant");
  return asked
    .flatMap(({ content }) => content)
    .flatMap((part) => {
      if (part.type !== "toolCall") return [];
      const isError = results.get(part.id);
      return isError === undefined ? [] : [{ name: part.name, args: part.arguments, isError }];
    });
}

function hasDiff(messages: readonly AgentMessage[]): boolean {
  return messages.some((message) => message.role === "user" && textOf(message).includes("diff --git"));
}

function commandOf({ name, args }: DoneCall): string {
  if (name !== "run_command") return "";
  return z.looseObject({ command: z.string() }).safeParse(args).data?.command.trim() ?? "";
}

/** A command that is none of those that only look. */
function isTest(call: DoneCall): boolean {
  const command = commandOf(call);
  return command !== "" && !/^\s*(?:git|ls|cat|head|tail|echo|pwd|grep|rg|find|wc)\b/.test(command);
}

function writesPlan({ name, args }: DoneCall): boolean {
  const path = z.looseObject({ path: z.string() }).safeParse(args).data?.path ?? "";
  return name === "write_file" && path.includes(`${planFolder}/`);
}
