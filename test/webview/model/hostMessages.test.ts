import fc from "fast-check";
import type { HostMessage } from "../../../src/protocol/messages.ts";
import { agentRows } from "../../../src/webview/features/agents/rows.ts";
import { emptyTranscript, viewTranscript } from "../../../src/webview/features/conversation/transcript.ts";
import { waitingAgents } from "../../../src/webview/model/agents.ts";
import { applyHostMessage, type ChatState, emptyChatState } from "../../../src/webview/model/chat.ts";
import { scenes } from "../gallery/scenes.ts";

const recorded = Object.values(scenes).flatMap((scene) => scene().messages);

/** Everything that is computed from the state when it is shown. */
function show(state: ChatState): void {
  agentRows({ tree: state.tree, waiting: waitingAgents(state.host), collapsed: new Set() });
  for (const node of Object.values(state.tree.nodes)) viewTranscript(state.tree, node, emptyTranscript);
}

/** A post may carry any part of a log: what is left out of it has no place that later parts could count on. */
function withEntries(message: HostMessage, kept: (index: number) => boolean): HostMessage {
  return message.type !== "recording" && "entries" in message
    ? { ...message, entries: message.entries.filter((_, index) => kept(index)) }
    : message;
}

describe("messages from the host", () => {
  it("never break what is shown, in whatever order they come and whatever entries they lack", function () {
    this.timeout(60_000);
    const post = fc.record({ index: fc.nat(recorded.length - 1), modulus: fc.integer({ min: 1, max: 5 }) });
    fc.assert(
      fc.property(fc.array(post, { minLength: 1, maxLength: 6 }), (posts) => {
        let state = emptyChatState();
        for (const { index, modulus } of posts) {
          const message = recorded[index];
          if (message === undefined) continue;
          state = applyHostMessage(
            state,
            withEntries(message, (at) => modulus === 1 || at % modulus > 0),
          ).state;
          show(state);
        }
      }),
      { numRuns: 500 },
    );
  });
});
