import { t } from "@vscode/l10n";
import * as z from "zod";
import type { HookEventName } from "../customization/hookDefinition.ts";

/** How a hook's command ended. */
export interface HookEnd {
  /** null when a signal ended it. */
  exitCode: number | null;
  cause: "exit" | "timeout" | "stopped" | "flood";
  output: string;
  errors: string;
}

/** What a hook decided. */
export type HookAnswer =
  | ({ type: "ran" } & HookAdditions)
  /** What it was asked about must not be, for this reason. `ends`: the agent's run ends with it. */
  | ({ type: "blocked"; reason: string; ends?: true } & HookAdditions)
  /** The user is to be asked. */
  | ({ type: "asks"; reason: string } & HookAdditions)
  /** Nothing can be said of its decision: things go on as without it. */
  | { type: "failed"; problem: string };

interface HookAdditions {
  /** Other arguments for a call. */
  args?: Record<string, unknown>;
  /** What the agent is to know. */
  context?: string;
  /** What a tool answered, in its place. */
  result?: string;
  /** For the user. */
  message?: string;
}

const maxReason = 10_000;
const reasonText = z.string().transform((text) => text.slice(0, maxReason));

const answerSchema = z.looseObject({
  continue: z.boolean().exactOptional(),
  stopReason: reasonText.exactOptional(),
  systemMessage: reasonText.exactOptional(),
  decision: z.enum(["approve", "block", "allow", "deny", "ask"]).nullish(),
  reason: reasonText.nullish(),
  additionalContext: reasonText.exactOptional(),
  hookSpecificOutput: z
    .looseObject({
      permissionDecision: z.enum(["allow", "deny", "ask", "defer"]).exactOptional(),
      permissionDecisionReason: reasonText.exactOptional(),
      updatedInput: z.record(z.string(), z.unknown()).exactOptional(),
      updatedToolOutput: z.unknown().optional(),
      additionalContext: reasonText.exactOptional(),
    })
    .exactOptional(),
});

/** The events at which exit code 2 blocks what is about to be, or sends the agent back to work. */
const blockable: ReadonlySet<HookEventName> = new Set([
  "PreToolUse",
  "PostToolUse",
  "UserPromptSubmit",
  "SubagentStop",
  "Stop",
]);

/** What a hook decided, by its exit code and what it printed, as Claude Code documents both. */
export function readAnswer(event: HookEventName, { exitCode, cause, output, errors }: HookEnd): HookAnswer {
  if (cause === "timeout") return { type: "failed", problem: t("It did not end in time, and was stopped.") };
  if (cause === "flood") return { type: "failed", problem: t("It printed too much, and was stopped.") };
  if (cause === "stopped") return { type: "failed", problem: t("It was stopped.") };
  const said = (errors.trim() || output.trim()).slice(0, maxReason);
  if (exitCode === 2 && blockable.has(event)) {
    return { type: "blocked", reason: said === "" ? "A hook of the user's blocked this without a reason." : said };
  }
  if (exitCode !== 0) {
    const how = exitCode === null ? t("A signal ended it.") : t("It ended with the exit code {0}.", exitCode);
    return { type: "failed", problem: said === "" ? how : `${how} ${said.slice(0, maxShown)}` };
  }
  const printed = output.trim();
  if (!printed.startsWith("{")) {
    const isContext = event === "UserPromptSubmit" && printed !== "";
    return { type: "ran", ...(isContext && { context: printed.slice(0, maxReason) }) };
  }
  return readJson(event, printed);
}

const maxShown = 500;

function readJson(event: HookEventName, printed: string): HookAnswer {
  let json: unknown;
  try {
    json = JSON.parse(printed);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { type: "failed", problem: t("Its output is not JSON: {0}", why.slice(0, maxShown)) };
  }
  const parsed = answerSchema.safeParse(json);
  if (!parsed.success) {
    const why = z.prettifyError(parsed.error).slice(0, maxShown);
    return { type: "failed", problem: t("It printed a decision that can't be read: {0}", why) };
  }
  const { data } = parsed;
  const specific = data.hookSpecificOutput;
  const context = specific?.additionalContext ?? data.additionalContext;
  const result = specific?.updatedToolOutput;
  const additions: HookAdditions = {
    ...(event === "PreToolUse" && specific?.updatedInput !== undefined && { args: specific.updatedInput }),
    ...(context !== undefined && context !== "" && { context }),
    ...(event === "PostToolUse" && result !== undefined && result !== null && { result: textOf(result) }),
    ...(data.systemMessage !== undefined && { message: data.systemMessage }),
  };
  const decision = specific?.permissionDecision ?? data.decision ?? undefined;
  const reason = specific?.permissionDecisionReason ?? data.reason ?? "";
  if (data.continue === false) {
    return {
      type: "blocked",
      reason: data.stopReason ?? (reason || "A hook of the user's ended this."),
      ends: true,
      ...additions,
    };
  }
  if ((decision === "block" || decision === "deny") && blockable.has(event)) {
    return { type: "blocked", reason: reason || "A hook of the user's blocked this without a reason.", ...additions };
  }
  if (decision === "ask" && event === "PreToolUse") return { type: "asks", reason, ...additions };
  return { type: "ran", ...additions };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
