import assert from "node:assert/strict";
import type { Approval, HostEvent } from "../../src/protocol/hostEvents.ts";
import { emptyHostState, reduceHost } from "../../src/protocol/hostState.ts";
import { intentSchema } from "../../src/protocol/intents.ts";

function approval(id: string, ...hunkIds: string[]): Approval {
  return {
    id,
    agentId: "a",
    agentPath: ["main"],
    callId: "c",
    toolName: "edit_file",
    files: [
      {
        path: "a.ts",
        change: "update",
        languageId: "typescript",
        hunks: hunkIds.map((hunkId) => ({
          id: hunkId,
          oldStart: 1,
          oldLines: ["x"],
          newStart: 1,
          newLines: ["y"],
          decision: "pending" as const,
        })),
      },
    ],
  };
}

function fold(...events: HostEvent[]) {
  return events.reduce(reduceHost, emptyHostState());
}

describe("the fold of host events", () => {
  it("has what the user allowed, always the whole of it, and what that let through", () => {
    const grant = { id: "g1", kind: "command", scope: "session", text: "npm test", folder: "shop" } as const;
    const state = fold(
      { type: "grants_changed", grants: [grant, { ...grant, id: "g2" }] },
      { type: "call_allowed", callId: "c1", grant },
      { type: "grants_changed", grants: [] },
    );
    assert.deepEqual(state.grants, []);
    assert.deepEqual(state.allowedCalls, { c1: grant });
  });

  it("has the commands that run in the background, always the whole of them, and how those of the chat ended", () => {
    const command = {
      id: "r1",
      callId: "c1",
      agentId: "main",
      agentPath: ["main"],
      command: "npm run dev",
      startedAt: 1,
    };
    const outcome = { cause: "exit", exitCode: 0, durationMs: 5 } as const;
    const running = fold({ type: "commands_changed", commands: [command] });
    assert.deepEqual([running.commands, running.commandOutcomes], [[command], {}]);
    const ended: HostEvent[] = [
      { type: "command_ended", callId: "c1", outcome },
      { type: "commands_changed", commands: [] },
    ];
    const after = ended.reduce(reduceHost, running);
    assert.deepEqual([after.commands, after.commandOutcomes], [[], { c1: outcome }]);
  });

  it("keeps open approvals in the order in which they were asked", () => {
    const state = fold(
      { type: "approval_requested", approval: approval("1") },
      { type: "approval_requested", approval: approval("2") },
      { type: "approval_closed", approvalId: "1", outcome: "accepted" },
    );
    assert.deepEqual(
      state.approvals.map(({ id }) => id),
      ["2"],
    );
  });

  it("has the pending edits and the rewind that can be undone as they were last emitted", () => {
    const edits = { path: "a.ts", agentId: "a", agentPath: ["main"], hunks: 1, added: 2, removed: 0 };
    const rewind = { messageId: "m", what: "files" as const };
    const some = fold(
      { type: "pending_edits_changed", files: [edits, edits] },
      { type: "pending_edits_changed", files: [edits] },
      { type: "rewind_changed", undoable: rewind },
    );
    assert.deepEqual([some.pendingEdits, some.undoableRewind], [[edits], rewind]);
    const none: HostEvent[] = [{ type: "pending_edits_changed", files: [] }, { type: "rewind_changed" }];
    const after = none.reduce(reduceHost, some);
    assert.deepEqual([after.pendingEdits, after.undoableRewind], [[], undefined]);
  });

  it("has each call's written edits once, as the call said them last", () => {
    const written = (callId: string, agentId: string, ...paths: string[]): HostEvent => ({
      ...{ type: "edit_written", callId, agentId, agentPath: ["main"] },
      files: paths.map((path) => ({ path, change: "update" as const, hunks: [] })),
    });
    const state = fold(written("1", "a", "a.ts"), written("1", "b", "b.ts"), written("1", "a", "a.ts", "c.ts"));
    assert.deepEqual(
      state.writtenEdits.map(({ agentId, files }) => [agentId, ...files.map(({ path }) => path)]),
      [
        ["b", "b.ts"],
        ["a", "a.ts", "c.ts"],
      ],
    );
  });

  it("replaces an approval that is proposed again, in its position", () => {
    const state = fold(
      { type: "approval_requested", approval: approval("1", "old") },
      { type: "approval_requested", approval: approval("2") },
      { type: "approval_requested", approval: approval("1", "new") },
    );
    assert.deepEqual(
      state.approvals.map(({ id }) => id),
      ["1", "2"],
    );
    assert.equal(state.approvals[0]?.files[0]?.hunks[0]?.id, "new");
  });

  it("marks the one hunk that was decided, with the user's words", () => {
    const state = fold(
      { type: "approval_requested", approval: approval("1", "h1", "h2") },
      { type: "hunk_decided", approvalId: "1", hunkId: "h2", decision: "rejected", reason: "no" },
    );
    const hunks = state.approvals[0]?.files[0]?.hunks;
    assert.deepEqual(
      hunks?.map(({ decision, reason }) => [decision, reason]),
      [
        ["pending", undefined],
        ["rejected", "no"],
      ],
    );
  });

  it("is unchanged by an event of a newer version", () => {
    const state = emptyHostState();
    // As JSON from a log: the type is what a newer version wrote.
    assert.equal(reduceHost(state, JSON.parse('{"type":"something_new"}')), state);
  });
});

describe("the schema of intents", () => {
  it("takes what the panel sends", () => {
    const intents = [
      { type: "ready" },
      { type: "send", text: "hi", attachments: [{ kind: "file", path: "a.ts" }], whenBusy: "queue" },
      { type: "decide", approvalId: "1", decision: "rejected", reason: "no" },
      { type: "stop" },
      { type: "reviewPending" },
      { type: "keepAll", path: "a.ts", agentId: "a" },
      { type: "undoAll" },
      { type: "redoEdits" },
      { type: "forgetUndoneEdits" },
      { type: "rewind", messageId: "m", what: "both" },
      { type: "undoRewind" },
      { type: "showInTerminal", callId: "c" },
    ];
    for (const intent of intents) assert.ok(intentSchema.safeParse(intent).success, JSON.stringify(intent));
  });

  it("refuses what is malformed, unknown or names a command", () => {
    const malformed = [
      null,
      "ready",
      {},
      { type: "executeCommand", command: "workbench.action.terminal.new" },
      { type: "send", text: 1, attachments: [], whenBusy: "queue" },
      { type: "decide", approvalId: "", decision: "accepted" },
      { type: "decide", approvalId: "1", decision: "pending" },
      { type: "openFile", path: "a.ts", line: -1 },
      { type: "noticeAction", action: "deleteEverything" },
      { type: "ready", lastSeq: Number.NaN },
      { type: "rewind", messageId: "m", what: "everything" },
      { type: "undoAll", path: "" },
      { type: "showInTerminal", callId: "c".repeat(201) },
    ];
    for (const intent of malformed) assert.ok(!intentSchema.safeParse(intent).success, JSON.stringify(intent));
  });
});
