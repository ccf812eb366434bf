import { ChangeStore } from "../../../../src/extension/changes/changeStore.ts";
import {
  type EditProposal,
  type ProposedChange,
  pendingHunks,
} from "../../../../src/extension/changes/model/change.ts";
import { ProposalReviews } from "../../../../src/extension/changes/proposalReviews.ts";
import type { HostEvent } from "../../../../src/protocol/hostEvents.ts";
import { TextWorkspace } from "./textWorkspace.ts";

function edit(changes: ProposedChange[], agent = "edit"): EditProposal {
  return {
    callId: `call-${agent}`,
    toolName: "edit_file",
    agent: { id: agent, prefix: agent, depth: 1 },
    agentPath: ["main", agent],
    changes,
  };
}

/** A review over files in memory; `open` files report what is typed, as an editor does. */
export function reviewing(files: Record<string, string>, open: readonly string[] = []) {
  const workspace = new TextWorkspace(files);
  const store = new ChangeStore();
  const events: HostEvent[] = [];
  const abort = new AbortController();
  let count = 0;
  const reviews = new ProposalReviews({
    store,
    workspace,
    isOpen: (path) => open.includes(path),
    newId: () => `p${++count}`,
  });
  const type = (path: string, text: string) => {
    workspace.type(path, text);
    if (open.includes(path)) store.setText(path, text);
  };
  /** Resolves when the proposal is open; `outcome` when it is over. */
  const propose = async (changes: ProposedChange[], agent?: string) => {
    const outcome = reviews.reviewFor((event) => events.push(event)).review(edit(changes, agent), abort.signal);
    const known = store.proposals.length;
    for (let turn = 0; turn < 50 && store.proposals.length === known; turn++) await Promise.resolve();
    return { outcome };
  };
  const pending = () => store.proposals.flatMap(({ files: all }) => all.flatMap(pendingHunks));
  return { workspace, store, reviews, events, abort, type, propose, pending };
}
