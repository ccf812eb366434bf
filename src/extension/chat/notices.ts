import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import type { LimitName } from "../../agent/index.ts";
import type { HostEvent, Notice } from "../../protocol/hostEvents.ts";
import { failedRequestProblem, type ModelProblem } from "../models/problems.ts";
import type { RunEnd } from "./chat.ts";

/** The notices a chat shows. A new run takes them down. */
export class NoticeBoard {
  readonly #emit: (event: HostEvent) => void;
  readonly #open = new Set<string>();

  constructor(emit: (event: HostEvent) => void) {
    this.#emit = emit;
  }

  /** Notices that an earlier run of the editor left open. */
  adopt(notices: readonly Notice[]): void {
    for (const { id } of notices) this.#open.add(id);
  }

  show(notice: Notice): void {
    this.#open.add(notice.id);
    this.#emit({ type: "notice_shown", notice });
  }

  close(noticeId: string): void {
    if (this.#open.delete(noticeId)) this.#emit({ type: "notice_closed", noticeId });
  }

  clear(): void {
    for (const noticeId of [...this.#open]) this.close(noticeId);
  }
}

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
    return noticeOf("warning", {
      text:
        setting === undefined
          ? t(
              "The run reached its limit of {0}. Raise it, or retry to go on with a fresh count.",
              limitWords(reachedLimit),
            )
          : t(
              "The run reached its limit of {0} ({1}). Raise it, or retry to go on with a fresh count.",
              limitWords(reachedLimit),
              setting,
            ),
      actions: ["retry", "openSettings"],
    });
  }
  if (end.reason !== "error") return undefined;
  const failed = end.messages.findLast((message) => message.role === "assistant");
  const problem = failed?.role === "assistant" ? failedRequestProblem(failed) : undefined;
  return noticeOf("error", problem ?? { text: sentence(end.error?.message), actions: ["retry", "showLog"] });
}

function limitWords(limit: LimitName): string {
  switch (limit) {
    case "turns":
      return t("turns");
    case "spend":
      return t("spend");
    case "cost":
      return t("cost");
    case "tokens":
      return t("tokens");
    case "depth":
      return t("depth");
    case "iterations":
      return t("iterations");
    case "time":
      return t("time");
    default:
      limit satisfies never;
      return "";
  }
}

/** A problem as a notice of its own. */
export function noticeOf(level: Notice["level"], { text, actions }: ModelProblem): Notice {
  return { id: randomUUID(), level, text, actions };
}

function sentence(message: string | undefined): string {
  return message === undefined || message === "" ? t("The run failed without saying why.") : message;
}
