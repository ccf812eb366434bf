import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Approval } from "../../../protocol/hostEvents.ts";
import type { Intent } from "../../../protocol/messages.ts";
import type { ChatModel } from "../../model/chatModel.ts";

type Decision = "accepted" | "rejected";

/** The approvals that are pending, one of which is shown. */
export interface ApprovalsModel {
  readonly pending: ReadonlySignal<readonly Approval[]>;
  /** Of the shown one, from 0; -1 without any. */
  readonly index: ReadonlySignal<number>;
  readonly post: (intent: Intent) => void;
  /** To the next one (1) or the one before (-1), round the end. */
  turn(step: 1 | -1): void;
  showOldest(): void;
  /** Answers the approval that is shown, if any. */
  answerShown(decision: Decision): void;
}

export function createApprovals({ host, latest, post }: ChatModel): ApprovalsModel {
  const wanted: Signal<number> = signal(0);
  const pending = computed(() => host.value.approvals);
  const index = computed(() => Math.min(wanted.value, pending.value.length - 1));
  return {
    pending,
    index,
    post,
    turn(step) {
      const count = pending.peek().length;
      wanted.value = (index.peek() + step + count) % count;
    },
    showOldest() {
      wanted.value = 0;
    },
    answerShown(decision) {
      // By the latest state: what was answered since is not answered again.
      const { approvals } = latest().host;
      const shown = approvals[Math.min(wanted.peek(), approvals.length - 1)];
      if (shown !== undefined) post({ type: "decide", approvalId: shown.id, decision });
    },
  };
}

/** The answer that a key gives to an approval. A key that is held down answers once. */
export function approvalKey(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "repeat" | "isComposing">,
): Decision | undefined {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.repeat || event.isComposing) return undefined;
  if (event.key === "Enter") return "accepted";
  return event.key === "Backspace" ? "rejected" : undefined;
}

/** What a key does in an open menu: the index of the item that gets the focus, or that the menu closes. */
export function menuStep(key: string, focused: number, count: number): number | "close" | undefined {
  switch (key) {
    case "ArrowDown":
      return (focused + 1) % count;
    case "ArrowUp":
      return (Math.max(focused, 0) - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    case "Escape":
    case "Tab":
      return "close";
    default:
      return undefined;
  }
}
