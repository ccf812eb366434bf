import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useEffect } from "preact/hooks";
import type { PendingRetry, TreeNode } from "../../agent/types.ts";
import { formatDuration } from "../text/format.ts";
import { visible } from "../text/visible.ts";
import type { PanelTiming } from "../timing.ts";

const tickMs = 1_000;

/** How long an agent has been at work, or was. */
export function useElapsed(node: TreeNode, timing: PanelTiming): string {
  const startedAt = node.startedAt - (node.earlierMs ?? 0);
  return useDuration(startedAt, node.status === "running" ? undefined : (node.endedAt ?? timing.now()), timing);
}

/** How long something has taken, as text; without an end it goes on. */
export function useDuration(startedAt: number, endedAt: number | undefined, timing: PanelTiming): string {
  const now = useSignal(timing.now());
  const isRunning = endedAt === undefined;

  useEffect(() => {
    if (!isRunning) return undefined;
    let cancel = timing.later(tick, tickMs);
    function tick(): void {
      now.value = timing.now();
      cancel = timing.later(tick, tickMs);
    }
    return () => cancel();
  }, [isRunning]);

  return formatDuration((endedAt ?? now.value) - startedAt);
}

export interface RetryCountdown {
  retry: PendingRetry;
  timing: PanelTiming;
  /** Shown once the time is up; nothing may have come of it yet. */
  afterwards: string;
}

/** Why a request waits, and for how many seconds yet. */
export function useRetryText({ retry, timing, afterwards }: RetryCountdown): string {
  const now = useSignal(timing.now());
  const { attempt, until, error } = retry;

  useEffect(() => {
    now.value = timing.now();
    let cancel = (): void => {};
    function next(): void {
      if (now.peek() < until) cancel = timing.later(tick, Math.min(tickMs, until - now.peek()));
    }
    function tick(): void {
      now.value = timing.now();
      next();
    }
    next();
    return () => cancel();
  }, [until]);

  const seconds = Math.ceil((until - now.value) / 1_000);
  if (seconds <= 0) return afterwards;
  // One that was never sent waits because others were sent away.
  return attempt === 0
    ? t("Waiting {0} s: {1}", seconds, visible(error))
    : t("Retrying in {0} s: {1}", seconds, visible(error));
}
