import assert from "node:assert/strict";
import { treeStep } from "../../../../src/webview/features/agents/treeKeys.ts";
import { type AgentRow, agentRows } from "../../../../src/webview/features/agents/treeRows.ts";
import { applyHostMessage, emptyChatState } from "../../../../src/webview/model/chatState.ts";
import { waitingAgents } from "../../../../src/webview/model/waiting.ts";
import { scenes } from "../../gallery/scenes.ts";

function rowsOf(scene: string, collapsed: string[] = [], hasEarlier = false): AgentRow[] {
  let state = emptyChatState();
  for (const message of scenes[scene]?.().messages ?? []) state = applyHostMessage(state, message).state;
  const { interrupted } = state.host;
  return agentRows({
    tree: state.tree,
    waiting: waitingAgents(state.host),
    collapsed: new Set(collapsed),
    interrupted,
    hasEarlier,
  });
}

/** One line a row, as people read it. */
function drawn(rows: readonly AgentRow[]): string {
  return rows
    .map((row) => {
      const twistie = row.isExpanded === undefined ? " " : row.isExpanded ? "v" : ">";
      const indent = "  ".repeat(row.level - 1);
      return `${indent}${twistie} ${row.name} [${row.status}] ${row.live} | ${row.tokens} ${row.cost}`.trimEnd();
    })
    .join("\n");
}

describe("rows of the agent tree", () => {
  it("stand nested as the agents were spawned, each with its own tokens and one live line", () => {
    const expected = `
v main [running] Delegate explore, edit | 41.2k $0.06
  v explore [running] Search "login" | 18k $0.04
      docs [done] 3 tools | 6k $0.01
      tests [running] Read auth.test.ts | 11k $0.02
    edit [running] I write the adapter so that the callers stay as they are | 9k $0.03`;
    assert.equal(`\n${drawn(rowsOf("running"))}`, expected);
  });

  it("carry the totals of their subtree while collapsed", () => {
    const [main, explore] = rowsOf("running");
    assert.ok(main !== undefined && explore !== undefined);
    assert.equal(
      drawn(rowsOf("running", [explore.id])).split("\n")[1],
      '  > explore [running] Search "login" | 35k $0.07',
    );
    assert.equal(drawn(rowsOf("running", [main.id])), "> main [running] Delegate explore, edit | 85.2k $0.16");
  });

  it("show who waits for an answer, also on a collapsed ancestor", () => {
    const waiting = (rows: AgentRow[]) => rows.filter((row) => row.status === "waiting").map((row) => row.name);
    assert.deepEqual(waiting(rowsOf("approval")), ["edit"]);
    assert.deepEqual(waiting(rowsOf("approval", ["main"])), ["main"]);
  });

  it("tell what the end of the editor cut off from what the user stopped", () => {
    const [main, explore] = rowsOf("interrupted");
    assert.deepEqual([main?.live, main?.facts, explore?.live], ["interrupted", "interrupted", "interrupted"]);
    assert.deepEqual([main?.status, explore?.status], ["aborted", "aborted"]);
  });

  it("tell which work a rewind took back, by words as well", () => {
    const [main, kept, gone] = rowsOf("rewound");
    assert.deepEqual([main?.isTakenBack, kept?.isTakenBack, gone?.isTakenBack], [false, false, true]);
    assert.deepEqual([gone?.name, gone?.status, gone?.live], ["measure", "done", "Undone by rewind"]);
    assert.equal(gone?.facts, "Undone by rewind, 4.3k tokens, $0.01");
  });

  it("take no work for taken back that was only told in a part of the conversation which is not there", () => {
    const takenBack = (rows: AgentRow[]) => rows.filter((row) => row.isTakenBack).map((row) => row.name);
    assert.deepEqual(takenBack(rowsOf("rewound", [], true)), []);
    const others = Object.keys(scenes).filter((scene) => scene !== "rewound");
    for (const scene of others) assert.deepEqual(takenBack(rowsOf(scene)), [], scene);
  });

  it("are named by the agent first, then its status and tokens", () => {
    assert.deepEqual(
      rowsOf("approval").map((row) => `${row.name} ${row.facts}`),
      [
        "main running, 41.2k tokens, $0.06",
        "explore running, 18k tokens, $0.04",
        "docs done, 6k tokens, $0.01",
        "tests running, 11k tokens, $0.02",
        "edit needs approval, 9k tokens, $0.03",
      ],
    );
  });

  it("tell how each of many agents ended", () => {
    const ended = rowsOf("many").filter((row) => row.status !== "running" && row.status !== "done");
    assert.deepEqual(
      ended.map((row) => `${row.name}: ${row.live}`),
      ["review-8: Rate limited by the provider", "review-12: stopped", "review-14: stopped at a limit"],
    );
  });
});

describe("keys of the agent tree", () => {
  const rows = rowsOf("running");
  const idOf = (name: string) => rows.find((row) => row.name === name)?.id ?? "";
  const cases: [string, string, string, string | undefined][] = [
    ["ArrowDown moves to the next row", "main", "ArrowDown", "focus explore"],
    ["ArrowDown stays at the last row", "edit", "ArrowDown", undefined],
    ["ArrowUp moves to the row before", "docs", "ArrowUp", "focus explore"],
    ["Home moves to the first row", "tests", "Home", "focus main"],
    ["End moves to the last row", "main", "End", "focus edit"],
    ["ArrowRight on an open row moves to its first child", "explore", "ArrowRight", "focus docs"],
    ["ArrowRight on a leaf does nothing", "docs", "ArrowRight", undefined],
    ["ArrowLeft on an open row closes it", "explore", "ArrowLeft", "collapse explore"],
    ["ArrowLeft on a leaf moves to its parent", "tests", "ArrowLeft", "focus explore"],
    ["Enter selects", "docs", "Enter", "select docs"],
    ["Space selects", "docs", " ", "select docs"],
    ["a letter moves to the next row that starts with it", "explore", "e", "focus edit"],
    ["a letter goes on from the top", "edit", "d", "focus docs"],
    ["a letter that no row starts with does nothing", "main", "z", undefined],
    ["other keys are left alone", "main", "F5", undefined],
  ];
  for (const [name, from, key, expected] of cases) {
    it(name, () => {
      const step = treeStep(rows, idOf(from), key);
      const row = step !== undefined && "id" in step ? rows.find(({ id }) => id === step.id) : undefined;
      assert.equal(step === undefined ? undefined : `${step.type} ${row?.name}`, expected);
    });
  }

  it("ArrowRight opens a closed row", () => {
    const closed = rowsOf("running", [idOf("explore")]);
    assert.deepEqual(treeStep(closed, idOf("explore"), "ArrowRight"), { type: "expand", id: idOf("explore") });
  });

  it("* opens all rows beside it", () => {
    assert.deepEqual(treeStep(rows, idOf("edit"), "*"), { type: "expandAll", ids: [idOf("explore"), idOf("edit")] });
  });
});
