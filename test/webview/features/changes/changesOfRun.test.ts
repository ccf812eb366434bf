import assert from "node:assert/strict";
import {
  changesSince,
  groupByAgent,
  groupByFile,
  keepable,
  lineCounts,
  readBySeveral,
  undoable,
} from "../../../../src/webview/features/changes/changesOfRun.ts";
import { commitMessage, summaryText } from "../../../../src/webview/features/changes/changesText.ts";
import { workOfRun } from "../../../../src/webview/features/conversation/workOfRun.ts";
import { applyHostMessage, emptyChatState } from "../../../../src/webview/model/chat.ts";
import { changed } from "../../gallery/changesScenes.ts";
import { edited } from "../../gallery/editScenes.ts";
import { type Recording, text } from "../../support/recording.ts";

function changesIn(log: Recording, isWholeChat = false) {
  const { tree, host, runs } = applyHostMessage(emptyChatState(), log.chat()).state;
  return { tree, changes: changesSince(tree, host, isWholeChat ? 0 : (runs.starts.at(-1) ?? 0)) };
}

describe("the changes of a run", () => {
  it("name each hunk's file, agent and state, and the words before its call", () => {
    const { changes } = changesIn(changed());
    assert.deepEqual(
      changes.map(({ path, line, agent, state }) => [path, line, agent, state]),
      [
        ["src/cart/totals.ts", 12, "Fix the totals", "superseded"],
        ["src/cart/totals.ts", 40, "Fix the totals", "undone"],
        ["src/money/round.ts", 1, "Move the rounding", "kept"],
        ["src/cart/totals.ts", 12, "main", "written"],
        ["test/cart/totals.test.ts", 1, "main", "written"],
      ],
    );
    assert.deepEqual(
      changes.map(({ reason }) => reason),
      [undefined, undefined, undefined, ...Array(2).fill("Both are done. I add a test and tidy up.")],
    );
    assert.deepEqual(
      [keepable(changes), undoable(changes)],
      [
        ["h4", "h5"],
        ["h3", "h4", "h5"],
      ],
    );
    assert.deepEqual(lineCounts(changes), { added: 5, removed: 1 });
  });

  it("are grouped by file, or by agent with the branch below it", () => {
    const { tree, changes } = changesIn(changed());
    assert.deepEqual(
      groupByFile(changes).map(({ label, detail, changes: own }) => [detail, label, own.length]),
      [
        ["src/cart", "totals.ts", 3],
        ["src/money", "round.ts", 1],
        ["test/cart", "totals.test.ts", 1],
      ],
    );
    assert.deepEqual(
      groupByAgent(tree, changes).map(({ label, changes: own, branch }) => [label, own.length, branch?.length]),
      [
        ["Fix the totals", 2, undefined],
        ["Move the rounding", 1, undefined],
        ["main", 2, 5],
      ],
    );
  });

  it("show of an older session what its results say, with nothing to answer", () => {
    const { changes } = changesIn(edited());
    assert.deepEqual(
      changes.map(({ path, line, state }) => [path, line, state]),
      [
        ["src/cart/totals.ts", 12, "kept"],
        ["test/cart/totals.test.ts", 1, "kept"],
        ["src/cart/totals.ts", 12, "kept"],
        ["src/cart/totals.ts", 40, "kept"],
        ["src/money/round.ts", 1, "kept"],
      ],
    );
    assert.deepEqual([keepable(changes), undoable(changes)], [[], []]);
  });

  it("are those of the latest run, or of the whole chat", () => {
    const log = changed();
    const main = { id: "main", name: "main", prefix: "", depth: 0, model: "claude-opus" };
    log.event(main, { type: "agent_start" });
    log.user(main, "And now?");
    log.answer(main, [text("Nothing more.")]);
    log.end(main, "done");
    assert.deepEqual(changesIn(log).changes, []);
    assert.equal(changesIn(log, true).changes.length, 5);
  });

  it("are there after a reload, when the messages of sub-agents are not", () => {
    const log = changed();
    const kept = log.entries.filter(
      (entry) => !("agent" in entry) || entry.agent.agent.depth === 0 || !entry.agent.type.startsWith("message_"),
    );
    log.entries.splice(0, log.entries.length, ...kept);
    assert.deepEqual(
      changesIn(log).changes.map(({ path }) => path),
      [
        "src/cart/totals.ts",
        "src/cart/totals.ts",
        "src/money/round.ts",
        "src/cart/totals.ts",
        "test/cart/totals.test.ts",
      ],
    );
    const { tree, host, runs } = applyHostMessage(emptyChatState(), log.chat()).state;
    const root = tree.nodes.main;
    const files =
      root &&
      workOfRun(
        tree,
        root,
        { startedAt: runs.starts.at(-1) ?? 0, before: runs.before, after: runs.after },
        host.writtenEdits,
      ).files;
    assert.deepEqual(
      files?.map(({ path, movedTo }) => movedTo ?? path),
      ["src/cart/totals.ts", "test/cart/totals.test.ts", "src/money/round.ts"],
    );
  });

  it("hold what is proposed, as what is not written yet", () => {
    const log = changed();
    const hunk = {
      id: "p",
      oldStart: 3,
      newStart: 3,
      oldLines: ["a"],
      newLines: ["b", "c"],
      decision: "pending" as const,
    };
    const approval = { id: "a", agentId: "main", agentPath: ["main"], callId: "e9", toolName: "edit_file" };
    const file = { path: "README.md", change: "update" as const, languageId: "markdown", hunks: [hunk] };
    log.host({ type: "approval_requested", approval: { ...approval, files: [file] } });
    const proposed = changesIn(log).changes.at(-1);
    assert.deepEqual(
      [proposed?.path, proposed?.state, proposed?.approvalId, proposed?.hunkId],
      ["README.md", "proposed", "a", undefined],
    );
  });

  it("are copied as a summary and as a message for a commit", () => {
    const { changes } = changesIn(changed());
    assert.equal(
      summaryText("Count each item", changes),
      [
        "## Count each item",
        "- `src/money/round.ts` +0 −0 (Move the rounding)",
        "- `src/cart/totals.ts` +2 −1 (main)",
        "  - Both are done. I add a test and tidy up.",
        "- `test/cart/totals.test.ts` +3 −0 (main)",
        "  - Both are done. I add a test and tidy up.",
        "",
      ].join("\n"),
    );
    assert.equal(
      commitMessage("Count each item.", [{ text: "Fix totals", status: "completed" }], changes),
      "Count each item\n\n- Fix totals\n",
    );
    assert.match(commitMessage("Count each item", [], changes), /\n\n- src\/money\/round.ts\n- src\/cart\/totals.ts\n/);
  });
});

describe("files that several agents read", () => {
  it("are named with who read them and what that cost in all, the dearest first", () => {
    const { tree, host } = applyHostMessage(emptyChatState(), changed().chat()).state;
    assert.deepEqual(readBySeveral(tree, host, 0), [
      { path: "src/cart/totals.ts", agents: ["main", "Fix the totals", "Move the rounding"], tokens: 2_920 },
      { path: "src/money/round.ts", agents: ["main", "Move the rounding"], tokens: 175 },
    ]);
    const later = Math.max(...Object.values(tree.nodes).map(({ startedAt }) => startedAt)) + 1;
    assert.deepEqual(readBySeveral(tree, host, later), []);
  });
});
