import type { WrittenEdit } from "../../../src/protocol/hostEvents.ts";
import { type Recording, startTime } from "../support/recording.ts";
import { edited } from "./editScenes.ts";

const open = [".run-summary .fold-head", ".run-summary vscode-button:first-of-type"];

/** Scenes of what agents changed in a run. */
export const changesScenes = {
  changes: () => ({
    messages: [changed().chat()],
    clicks: [...open, ".change-group:nth-last-child(2) li:first-child .fold-head"],
  }),
  "branch-undone": () => {
    const log = changed();
    const branch = { agentId: "main", name: "Fix the totals" };
    log.host({ type: "rewind_changed", undoable: { messageId: "", what: "files", id: "r", branch } });
    return {
      messages: [log.chat()],
      clicks: [".tree-item:nth-of-type(2) .row-actions button:last-child"],
    };
  },
  "rewind-interrupted": () => {
    const log = changed();
    const left = ["src/checkout/totalsOfTheWholeShoppingCart.ts", "test/totals.test.ts"];
    const interrupted = { in: "rewind" as const, done: ["README.md", "src/checkout/prices.ts"], left };
    log.host({ type: "rewind_changed", undoable: { messageId: "m", what: "files", id: "r", interrupted } });
    return { messages: [log.chat()], clicks: [] };
  },
  "changes-by-agent": () => ({
    messages: [changed().chat()],
    clicks: [...open, ".changes-modes button:nth-child(2)"],
  }),
  report: () => ({ messages: [reported().chat()], clicks: [".run-summary .fold-head"] }),
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
    const reason = agentId === "main" && { reason: "Both are done. I add a test and tidy up." };
    log.host({ type: "edit_written", callId, agentId, agentPath, files, ...reason });
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
  const read = (agentId: string, path: string, tokens: number) =>
    log.host({ type: "file_read", path, agentId, agentPath: ["main"], tokens });
  read("main", "src/cart/totals.ts", 420);
  read(agentOf("Fix the totals"), "src/cart/totals.ts", 1_250);
  read(agentOf("Move the rounding"), "src/cart/totals.ts", 1_250);
  read("main", "src/money/round.ts", 80);
  read(agentOf("Move the rounding"), "src/money/round.ts", 95);
  read("main", "README.md", 300);
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

/** The same with two commands, one of which failed, three that were allowed or sandboxed, and a plan. */
export function reported(): Recording {
  const log = changed();
  const main = { id: "main", name: "main", prefix: "", depth: 0, model: "claude-opus" };
  const run = (callId: string, details: { command: string; exitCode: number; sandboxed?: true }) => {
    const content = [{ type: "text" as const, text: "" }];
    const result = {
      role: "toolResult" as const,
      id: callId,
      callId,
      toolName: "run_command",
      isError: false,
      content,
    };
    const whole = { cause: "exit", durationMs: 900, ...details };
    log.event(main, {
      type: "message_end",
      message: { ...result, details: whole, timestamp: startTime + 60_000 },
    });
  };
  const request = { kind: "command", text: "npm test" } as const;
  const asked = { agentId: "main", agentPath: ["main"], callId: "c2", toolName: "run_command", files: [] };
  log.host({ type: "approval_requested", approval: { id: "a", ...asked, request } });
  log.host({ type: "approval_closed", approvalId: "a", outcome: "accepted" });
  run("c1", { command: "npm run lint", exitCode: 0, sandboxed: true });
  run("c2", { command: "npm test", exitCode: 1 });
  const grant = { id: "g", kind: "edit", scope: "session", text: "src/**" } as const;
  log.host({ type: "call_allowed", callId: "e3", grant });
  const pending = { path: "src/cart/totals.ts", agentId: "main", agentPath: ["main"], added: 5, removed: 1 };
  log.host({ type: "pending_edits_changed", files: [{ ...pending, hunks: 2 }] });
  const items = [
    { text: "Fix the totals", status: "completed" as const },
    { text: "Update the README", status: "pending" as const },
  ];
  log.host({ type: "plan_changed", agentId: "main", items });
  return log;
}
