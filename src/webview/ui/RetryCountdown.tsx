import { useSignal } from "@preact/signals";
import { t } from "@vscode/l10n";
import { useEffect } from "preact/hooks";
import type { PendingRetry } from "../../agent/types.ts";
import { visible } from "../text/visible.ts";
import type { Timing } from "../timing.ts";

const tickMs = 1_000;

export interface RetryCountdownProps {
  retry: PendingRetry;
  timing: Timing;
  /** What stands there once the time is up; nothing may have come of it yet. */
  afterwards: string;
}

/** Why a request waits, and for how many seconds yet. */
export function RetryCountdown(props: RetryCountdownProps) {
  return <>{useRetryWords(props)}</>;
}

/** The same as words. */
export function useRetryWords({ retry, timing, afterwards }: RetryCountdownProps): string {
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
    ? t("Waits {0} s: {1}", seconds, visible(error))
    : t("Asks again in {0} s: {1}", seconds, visible(error));
}
