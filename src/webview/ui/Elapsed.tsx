import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { TreeNode } from "../../agent/types.ts";
import { formatDuration } from "../text/format.ts";
import type { Timing } from "../timing.ts";

const tickMs = 1_000;

/** How long an agent has been at work, or was. */
export function Elapsed({ node, timing }: { node: TreeNode; timing: Timing }) {
  return <>{useElapsed(node, timing)}</>;
}

/** The same as words. */
export function useElapsed(node: TreeNode, timing: Timing): string {
  return useDuration(node.startedAt, node.status === "running" ? undefined : (node.endedAt ?? timing.now()), timing);
}

/** How long something has taken, in words; without an end it goes on. */
export function useDuration(startedAt: number, endedAt: number | undefined, timing: Timing): string {
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
