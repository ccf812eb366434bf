import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { PanelTiming } from "../timing.ts";

/** How long a card has to be in view before it takes an answer: what was meant for the page before it is none. */
const armMs = 300;
/** A second click or key within this time was meant for the same. */
const settleMs = 1_000;

/** Takes answers only to what the user has seen, and each of them once. */
export interface AnswerGuard {
  /** Whether the card with this id takes an answer now. */
  isReady(id: string): boolean;
  /** A card came into view, or left it. */
  setInView(id: string, isInView: boolean): void;
  /** True when the answer counts. A `part` is answered apart from its siblings, but not apart from the whole. */
  take(id: string, part?: string): boolean;
}

export function createAnswerGuard(timing: Pick<PanelTiming, "later">): AnswerGuard {
  const armed = signal<ReadonlySet<string>>(new Set());
  const answered = signal<ReadonlySet<string>>(new Set());
  const arming = new Map<string, () => void>();
  const keyOf = (id: string, part: string) => `${part} ${id}`;
  const isReady = (id: string) => armed.value.has(id) && !answered.value.has(id);

  return {
    isReady,
    setInView(id, isInView) {
      arming.get(id)?.();
      arming.delete(id);
      if (!isInView) armed.value = without(armed.peek(), id);
      else if (!armed.peek().has(id)) {
        arming.set(
          id,
          timing.later(() => {
            arming.delete(id);
            armed.value = new Set([...armed.peek(), id]);
          }, armMs),
        );
      }
    },
    take(id, part) {
      const key = part === undefined ? id : keyOf(id, part);
      if (!armed.peek().has(id) || answered.peek().has(id) || answered.peek().has(key)) return false;
      answered.value = new Set([...answered.peek(), key]);
      // The host may refuse: then it can be answered again.
      timing.later(() => {
        answered.value = without(answered.peek(), key);
      }, settleMs);
      return true;
    },
  };
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  if (!ids.has(id)) return ids;
  const rest = new Set(ids);
  rest.delete(id);
  return rest;
}

/** The one of several that is shown. */
export interface ShownItem<Item> {
  /** Undefined without any. */
  readonly item: ReadonlySignal<Item | undefined>;
  /** Of the shown one, from 0; -1 without any. */
  readonly index: ReadonlySignal<number>;
  show(id: string | undefined): void;
}

/**
 * Shows one item until it is gone or another one is asked for, whatever comes or goes beside it. After it comes a
 * preferred one, else the one that has its index.
 */
export function createShownItem<Item extends { id: string }>(
  items: ReadonlySignal<readonly Item[]>,
  isPreferred: (item: Item) => boolean,
): ShownItem<Item> {
  const requested = signal<string | undefined>(undefined);
  let last: { id: string | undefined; index: number } = { id: undefined, index: 0 };
  const index = computed(() => {
    const list = items.value;
    const indexOf = (id: string | undefined) => (id === undefined ? -1 : list.findIndex((item) => item.id === id));
    const known = [requested.value, last.id].map(indexOf).find((at) => at >= 0);
    const preferred = known ?? list.findIndex(isPreferred);
    const at = preferred >= 0 ? preferred : Math.min(last.index, list.length - 1);
    last = { id: list[at]?.id, index: Math.max(at, 0) };
    return at;
  });
  return {
    index,
    item: computed(() => items.value[index.value]),
    show(id) {
      requested.value = id;
    },
  };
}
