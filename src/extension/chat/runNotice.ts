import { randomUUID } from "node:crypto";
import type { LimitName } from "../../agent/index.ts";
import type { Notice } from "../../protocol/hostEvents.ts";
import { failedRequestProblem, type ModelProblem } from "../models/problems.ts";
import type { RunEnd } from "./chat.ts";

const limitSettings: Partial<Record<LimitName, string>> = {
  turns: "arbor.limits.maxTurns",
  spend: "arbor.limits.maxCost",
  cost: "arbor.limits.maxCost",
};

/** What the user is told when a run of the root agent ended otherwise than by an answer or by their own stop. */
export function runNotice(end: RunEnd, reachedLimit: LimitName | undefined): Notice | undefined {
  // A run that ended at a budget was ended there by the user.
  if (reachedLimit !== undefined && end.error?.code === "limit") {
    const setting = limitSettings[reachedLimit];
    const where = setting === undefined ? "" : ` (${setting})`;
    return noticeOf("warning", {
      text: `The run reached its limit of ${reachedLimit}${where}. Raise it, or retry to go on with a fresh count.`,
      actions: ["retry", "openSettings"],
    });
  }
  if (end.reason !== "error") return undefined;
  const failed = end.messages.findLast((message) => message.role === "assistant");
  const problem = failed?.role === "assistant" ? failedRequestProblem(failed) : undefined;
  return noticeOf("error", problem ?? { text: sentence(end.error?.message), actions: ["retry", "showLog"] });
}

export function noticeOf(level: Notice["level"], { text, actions }: ModelProblem): Notice {
  return { id: randomUUID(), level, text, actions };
}

function sentence(message: string | undefined): string {
  return message === undefined || message === "" ? "The run failed without saying why." : message;
}
