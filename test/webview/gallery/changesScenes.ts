import type { WrittenEdit } from "../../../src/protocol/hostEvents.ts";
import type { Recording } from "../support/recording.ts";
import { edited } from "./editScenes.ts";

const open = [".run-summary .fold-head", ".run-summary vscode-button:first-of-type"];

/** Scenes of what agents changed in a run. */
export const changesScenes = {
  changes: () => ({
    messages: [changed().chat()],
    clicks: [...open, ".change-group:last-child li:first-child .fold-head"],
  }),
  "changes-of-older": () => ({ messages: [edited().chat()], clicks: open }),
};

const lines = {
  oldLines: ["  return items.reduce((sum, item) => sum + item.price, 0);"],
  newLines: [
    "  const sum = items.reduce((all, item) => all + item.price * item.count, 0);",
    "  return roundToCents(sum);",
  ],
};

/** Two sub-agents and main have written; one hunk waits, one is undone, one is superseded, the others are kept. */
export function changed(): Recording {
  const log = edited();
  const agentOf = (name: string) => {
    const found = log.entries.find((entry) => "agent" in entry && entry.agent.agent.label === name);
    return found !== undefined && "agent" in found ? found.agent.agent.id : "main";
  };
  const write = (callId: string, agentId: string, files: WrittenEdit["files"]) => {
    const agentPath = agentId === "main" ? ["main"] : ["main", "edit"];
    log.host({ type: "edit_written", callId, agentId, agentPath, files });
  };
  const totals = { path: "src/cart/totals.ts", change: "update" as const };
  write("e1", agentOf("Fix the totals"), [
    {
      ...totals,
      hunks: [
        { id: "h1", line: 12, added: 2, removed: 1, ...lines },
        { id: "h2", line: 40, added: 2, removed: 1, ...lines },
      ],
    },
  ]);
  write("e2", agentOf("Move the rounding"), [
    {
      ...{ path: "src/money/round.ts", change: "move", movedFrom: "src/cart/round.ts" },
      hunks: [{ id: "h3", line: 1, added: 0, removed: 0 }],
    },
  ]);
  write("e3", "main", [{ ...totals, hunks: [{ id: "h4", line: 12, added: 2, removed: 1, ...lines }] }]);
  const test = ['it("counts each item", () => {', "  assert.equal(total([{ price: 2, count: 3 }]), 6);", "});"];
  write("e5", "main", [
    {
      ...{ path: "test/cart/totals.test.ts", change: "add" },
      hunks: [{ id: "h5", line: 1, added: 3, removed: 0, oldLines: [], newLines: test }],
    },
  ]);
  log.host({ type: "written_hunks_changed", hunkIds: ["h4", "h5"], state: "written" });
  log.host({ type: "written_hunks_changed", hunkIds: ["h1"], state: "superseded" });
  log.host({ type: "written_hunks_changed", hunkIds: ["h2"], state: "undone" });
  return log;
}
