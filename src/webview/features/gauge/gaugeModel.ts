import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { TreeNode, Usage } from "../../../agent/types.ts";
import type { ContextBreakdown, ForeignAgent } from "../../../protocol/hostEvents.ts";
import type { PanelStatus } from "../../../protocol/messages.ts";
import type { ChatModel } from "../../model/chatModel.ts";
import { type ContextReading, readContext } from "../../model/usage.ts";

/** The context of the selected agent, and what all agents used. */
export interface GaugeModel {
  readonly isOpen: Signal<boolean>;
  readonly node: ReadonlySignal<TreeNode | undefined>;
  readonly context: ReadonlySignal<ContextBreakdown | undefined>;
  readonly reading: ReadonlySignal<ContextReading>;
  readonly status: ReadonlySignal<PanelStatus | undefined>;
  /** What is known of the shown agent, where it runs in another program. */
  readonly foreign: ReadonlySignal<ForeignAgent | undefined>;
  readonly total: ReadonlySignal<Usage | undefined>;
  compact(agentId: string): void;
}

export function createGauge({ selected, root, host, status, post }: ChatModel): GaugeModel {
  const context = computed(() => host.value.contexts[selected.value?.meta.id ?? ""]);
  return {
    isOpen: signal(false),
    node: selected,
    context,
    reading: computed(() => readContext(selected.value, context.value, status.value)),
    status,
    foreign: computed(() => host.value.foreignAgents[selected.value?.meta.id ?? ""]),
    total: computed(() => root.value?.total),
    compact: (agentId) => post({ type: "compact", agentId }),
  };
}
