import assert from "node:assert/strict";
import type { ProcessRow } from "../../../src/extension/terminal/processTable.ts";
import { inSession, membersOf, type TreeRoot } from "../../../src/extension/terminal/processTable.ts";

type Row = Partial<ProcessRow> & { pid: number; environment?: string };

const row = ({ environment = "", ...given }: Row): ProcessRow => ({
  ...{ parent: 1, group: given.pid, session: given.pid, startedAt: "1", isPaused: false },
  hasInEnvironment: (text) => environment.includes(text),
  outputs: () => [],
  ...given,
});
const root = (): TreeRoot => ({ pid: 100, mark: "mark-1", known: new Set() });
const pids = (rows: readonly ProcessRow[]) => rows.map(({ pid }) => pid).sort((a, b) => a - b);

describe("the processes of a command", () => {
  it("are its session, its group, what has its mark, and all their descendants", () => {
    const rows = [
      row({ pid: 100 }),
      row({ pid: 101, parent: 100, group: 100, session: 100 }),
      row({ pid: 102, group: 100 }),
      row({ pid: 103, session: 100 }),
      row({ pid: 104, environment: "ARBOR_COMMANDS=mark-1" }),
      row({ pid: 105, parent: 104 }),
      row({ pid: 106, parent: 105 }),
      row({ pid: 200, environment: "ARBOR_COMMANDS=mark-2" }),
      row({ pid: 201, parent: 200 }),
    ];
    assert.deepEqual(pids(membersOf(root(), rows)), [100, 101, 102, 103, 104, 105, 106]);
  });

  it("stay its own once they were seen, whatever becomes of their parents", () => {
    const tree = root();
    membersOf(tree, [row({ pid: 100 }), row({ pid: 105, parent: 100 })]);
    assert.deepEqual(pids(membersOf(tree, [row({ pid: 105 })])), [105]);
  });

  it("are not others that got the id of one that has ended", () => {
    const tree = root();
    membersOf(tree, [row({ pid: 100 }), row({ pid: 105, parent: 100 })]);
    assert.deepEqual(membersOf(tree, [row({ pid: 105, startedAt: "2" })]), []);
  });

  it("are never the editor itself or the system's first process", () => {
    const rows = [row({ pid: process.pid, environment: "mark-1" }), row({ pid: 1, environment: "mark-1" })];
    assert.deepEqual(membersOf(root(), rows), []);
  });

  it("survive a table in which parents go round in a circle", () => {
    const rows = [row({ pid: 100, parent: 101 }), row({ pid: 101, parent: 100 })];
    assert.deepEqual(pids(membersOf(root(), rows)), [100, 101]);
  });

  it("distinguish daemons from what is still in the session", () => {
    const members = [row({ pid: 101, group: 100, session: 100 }), row({ pid: 104, environment: "mark-1" })];
    assert.deepEqual(pids(inSession(root(), members)), [101]);
  });
});
