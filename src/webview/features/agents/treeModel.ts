import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { AgentTree, TreeNode } from "../../../agent/types.ts";
import type { PanelHost } from "../../host.ts";
import type { ChatModel } from "../../model/chatModel.ts";
import type { PanelTiming } from "../../timing.ts";
import { createFolding } from "./folding.ts";
import { createOrder } from "./order.ts";
import { type AgentRow, agentRows } from "./rows.ts";
import { followSteering } from "./steered.ts";

/** How siblings are ordered, undefined for as they are anyway, and what becomes of the rows. */
type Arrangement = (tree: AgentTree) => {
  order: Parameters<typeof agentRows>[0]["order"] | undefined;
  rows(rows: AgentRow[]): AgentRow[];
};

/** The agents of the chat as a tree of rows. */
export interface TreeModel {
  readonly rows: ReadonlySignal<AgentRow[]>;
  /** The user is in the tree: no row moves. */
  readonly isHeld: Signal<boolean>;
  readonly selected: ReadonlySignal<TreeNode | undefined>;
  /** Those above the selected agent, from the root down. */
  readonly ancestors: ReadonlySignal<TreeNode[]>;
  readonly collapsed: ReadonlySignal<ReadonlySet<string>>;
  /** The agent whose details are shown, and the one that is being written to. */
  readonly opened: Signal<string | undefined>;
  readonly messaged: Signal<string | undefined>;
  /** What was typed to an agent and not sent, by its id: the field closes with the tree. */
  readonly unsent: Map<string, string>;
  /** In pixels, as the user drew it; undefined: as much as the panel gives. */
  readonly height: Signal<number | undefined>;
  /** A new object each time the tree shall take the focus. */
  readonly focusRequest: ReadonlySignal<object | undefined>;
  readonly timing: PanelTiming;
  readonly chat: ChatModel;
  /** How the user wants the rows, as it is saved. */
  readonly meters: Signal<string>;
  /** Orders and changes the rows; set by what shows the choices. */
  readonly arrangement: Signal<Arrangement | undefined>;
  select(agentId: string): void;
  setExpanded(agentIds: readonly string[], isExpanded: boolean): void;
  stop(agentId: string): void;
  /** It and all below it make no further request until `resume`; their tools finish. */
  isPaused(agentId: string): boolean;
  pause(agentId: string): void;
  resume(agentId: string): void;
  sendMessage(agentId: string, text: string): void;
  node(agentId: string): TreeNode | undefined;
  /** Another chat is shown. */
  reset(): void;
}

export interface TreeModelOptions {
  chat: ChatModel;
  saved: PanelHost["saved"];
  focusRequest: ReadonlySignal<object | undefined>;
}

export function createTreeModel({ chat, saved, focusRequest }: TreeModelOptions): TreeModel {
  const { post } = chat;
  const collapsed = signal<ReadonlySet<string>>(new Set(saved.collapsed));
  const interrupted = computed(() => chat.host.value.interrupted);
  const foreign = computed(() => chat.host.value.foreignAgents);
  const isolated = computed(() => chat.host.value.isolated);
  const paused = computed(() => chat.host.value.pausedBranches);
  const runs = computed(() => chat.host.value.runs);
  const reports = computed(() => chat.host.value.reports);
  const collisions = computed(() => chat.host.value.collisions);
  const isHeld = signal(false);
  const steered = followSteering(
    computed(() => chat.host.value.queue),
    { timing: chat.timing, isDelivered: (id) => chat.latest().host.steered.some(({ messageId }) => messageId === id) },
  );
  const opened = signal<string | undefined>(undefined);
  const messaged = signal<string | undefined>(undefined);
  const unsent = new Map<string, string>();
  const order = createOrder();
  const folding = createFolding();
  const arrangement = signal<Arrangement | undefined>(undefined);
  const rows = computed(() => {
    const arranged = arrangement.value?.(chat.tree.value);
    const all = agentRows({
      finished: folding.of({
        ...{ tree: chat.tree.value, expanded: collapsed.value, isHeld: isHeld.value },
        shown: [chat.selected.value?.meta.id, opened.value, messaged.value],
      }),
      tree: chat.tree.value,
      waiting: chat.waiting.value,
      runs: chat.runs.value,
      order: order.of({
        ...{ tree: chat.tree.value, waiting: chat.waiting.value, isHeld: isHeld.value },
        sorted: arranged?.order,
      }),
      collapsed: collapsed.value,
      interrupted: interrupted.value,
      foreign: foreign.value,
      isolated: isolated.value,
      paused: paused.value,
      collisions: collisions.value,
      reports: reports.value,
      budgets: runs.value,
      agents: chat.status.value?.agents,
      hasEarlier: chat.hasEarlier.value,
      activity: chat.activity.value,
      steered: steered.value,
    });
    return arranged?.rows(all) ?? all;
  });
  return {
    isHeld,
    rows,
    selected: chat.selected,
    ancestors: computed(() => ancestorsOf(chat.selected.value, chat)),
    collapsed,
    opened,
    messaged,
    unsent,
    height: signal(saved.treeHeight),
    focusRequest,
    timing: chat.timing,
    chat,
    meters: signal(saved.meters ?? ""),
    arrangement,
    select: chat.select,
    setExpanded(agentIds, isExpanded) {
      const next = new Set(collapsed.peek());
      const groups = new Set(rows.peek().flatMap((row) => (row.isGroup ? [row.id] : [])));
      for (const id of agentIds) {
        if (isExpanded !== groups.has(id)) next.delete(id);
        else next.add(id);
      }
      collapsed.value = next;
    },
    stop: (agentId) => post({ type: "stop", agentId }),
    isPaused: (agentId) => paused.value.includes(agentId),
    pause: (agentId) => post({ type: "pauseBranch", agentId }),
    resume: (agentId) => post({ type: "resumeBranch", agentId }),
    sendMessage: (agentId, text) => post({ type: "messageAgent", agentId, text }),
    node: chat.agent,
    reset() {
      collapsed.value = new Set();
      opened.value = undefined;
      messaged.value = undefined;
      unsent.clear();
    },
  };
}

function ancestorsOf(node: TreeNode | undefined, chat: ChatModel): TreeNode[] {
  const path: TreeNode[] = [];
  let parentId = node?.meta.parentId;
  while (parentId !== undefined && path.length < 20) {
    const parent = chat.agent(parentId);
    if (parent === undefined) break;
    path.unshift(parent);
    parentId = parent.meta.parentId;
  }
  return path;
}
