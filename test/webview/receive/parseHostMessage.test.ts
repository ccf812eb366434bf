import assert from "node:assert/strict";
import fc from "fast-check";
import type { LogEntry } from "../../../src/protocol/messages.ts";
import { agentRows } from "../../../src/webview/features/agents/treeRows.ts";
import { emptyTranscript, transcriptOf } from "../../../src/webview/features/conversation/transcript.ts";
import { applyHostMessage, emptyChatState } from "../../../src/webview/model/chatState.ts";
import { waitingAgents } from "../../../src/webview/model/waiting.ts";
import { parseHostMessage } from "../../../src/webview/receive/parseHostMessage.ts";
import { scenes } from "../gallery/scenes.ts";
import { recording } from "../support/recording.ts";

const recorded = Object.values(scenes).flatMap((scene) => scene().messages);

/** Everything that is computed from the state when it is shown. */
function show(text: string): void {
  const message = parseHostMessage(text);
  if (message === undefined) return;
  const { state } = applyHostMessage(emptyChatState(), message);
  agentRows({ tree: state.tree, waiting: waitingAgents(state.host), collapsed: new Set() });
  for (const node of Object.values(state.tree.nodes)) transcriptOf(state.tree, node, emptyTranscript);
}

describe("messages from the host", () => {
  it("are taken as the host sends them, entry by entry", () => {
    for (const message of recorded) assert.deepEqual(parseHostMessage(JSON.stringify(message)), message);
  });

  it("are dropped when they are nothing of the kind", () => {
    const strange = [undefined, 7, {}, "", "{", "null", "[]", '"chat"', '{"type":"chat"}', '{"type":"constructor"}'];
    for (const data of strange) assert.equal(parseHostMessage(data), undefined);
  });

  it("lose a damaged entry, not the conversation", () => {
    const log = recording();
    const main = log.agent("main");
    log.user(main, "Hello");
    const message = log.chat();
    assert.ok(message.type === "chat");
    const damaged = { seq: 2, agent: { type: "message_start", agent: { id: "main" } } } as unknown as LogEntry;
    const parsed = parseHostMessage(JSON.stringify({ ...message, entries: [damaged, ...message.entries] }));
    assert.deepEqual(parsed, message);
  });

  it("never break what is shown, whatever part of them is replaced", function () {
    this.timeout(60_000);
    const values = fc.oneof(
      fc.constant(null),
      fc.constant({}),
      fc.constant([]),
      fc.string(),
      fc.constantFrom("__proto__", "constructor", "toString"),
      fc.integer(),
      fc.constant({ type: "text" }),
    );
    fc.assert(
      fc.property(fc.nat(recorded.length - 1), fc.nat(100_000), values, (index, place, value) => {
        const json = JSON.stringify(recorded[index], replacingAt(place, value));
        show(json);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** A replacer for JSON.stringify that puts another value at the n-th place it visits. */
function replacingAt(place: number, value: unknown): (key: string, original: unknown) => unknown {
  let visited = 0;
  return (_key, original) => (visited++ === place ? value : original);
}
