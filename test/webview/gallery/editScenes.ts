import type { EditedHunk, FileEdit } from "../../../src/protocol/fileEdits.ts";
import type { Approval } from "../../../src/protocol/hostEvents.ts";
import { type Recording, recording, text, toolCall } from "../support/recording.ts";

/** Scenes of edits that have ended, and of what a run has come to. */
export const editScenes = {
  "several-files": () => ({
    messages: [proposingFiles().chat()],
    clicks: ['.file-change[aria-label="src/cart/totals.ts"] .icon-button[aria-expanded]'],
  }),
  "several-edits": () => ({ messages: [proposingEdits().chat()] }),
  edited: () => ({ messages: [edited().chat()], clicks: ['.tool-card[data-status="done"] .tool-head'] }),
  "run-before": () => ({ messages: [editedTwice().chat()] }),
  "run-ended": () => ({ messages: [edited().chat()], clicks: [".run-summary .fold-head"] }),
};

/** One proposal for six files. */
function proposingFiles(): Recording {
  const log = recording();
  log.host({ type: "chat_titled", title: "Count each item in the totals" });
  const main = log.agent("main");
  log.user(main, "Fix the totals everywhere, and tidy up.");
  log.host({ type: "approval_requested", approval: { ...severalFiles, agentId: main.id } });
  return log;
}

/** Three proposals that wait at once. */
function proposingEdits(): Recording {
  const log = proposingFiles();
  for (const [index, file] of severalFiles.files.slice(0, 2).entries()) {
    const approval = { ...severalFiles, id: `one-${index}`, callId: `one-${index}`, agentId: "main" };
    log.host({ type: "approval_requested", approval: { ...approval, files: [file] } });
  }
  return log;
}

const proposed = (path: string, oldLines: string[], newLines: string[], more: object = {}) => ({
  ...{ path, change: "update" as const, languageId: "typescript" },
  hunks: [{ id: path, oldStart: 12, oldLines, newStart: 12, newLines, decision: "pending" as const }],
  ...more,
});

const severalFiles: Approval = {
  ...{ id: "several", agentId: "main", agentPath: ["main"], callId: "p1", toolName: "apply_patch" },
  files: [
    proposed("src/cart/totals.ts", ["  sum += price;"], ["  sum += price * count;", "  checked = true;"]),
    proposed("src/cart/receipt.ts", ["line(item.name)"], ["line(item.name, item.count)"]),
    proposed("src/money/round.ts", [], [], { change: "delete", movedTo: "src/money/cents.ts" }),
    proposed("src/cart/index.ts", ['from "../money/round"'], ['from "../money/cents"'], {
      follows: "src/money/round.ts",
    }),
    proposed("src/cart/legacy.ts", ["export {};", "// unused", ""], [], { change: "delete" }),
    proposed("test/cart/totals.test.ts", [], ['it("counts each item", () => {', "});"], { change: "add" }),
  ],
  scopes: [{ scope: "agent" }, { scope: "session" }],
};

/** An edit of one file from its hunks. */
function edit(path: string, hunks: readonly EditedHunk[], more: Partial<FileEdit> = {}): FileEdit {
  const kept = hunks.filter(({ left }) => left === undefined);
  const lines = (side: "oldLines" | "newLines") => kept.reduce((sum, hunk) => sum + hunk[side].length, 0);
  return {
    ...{ path, change: "update", accepted: kept.length, rejected: hunks.length - kept.length },
    ...{ added: lines("newLines"), removed: lines("oldLines"), hunks },
    ...more,
  };
}

const total: EditedHunk = {
  line: 12,
  oldLines: ["  return items.reduce((sum, item) => sum + item.price, 0);"],
  newLines: [
    "  const sum = items.reduce((all, item) => all + item.price * item.count, 0);",
    "  return roundToCents(sum);",
  ],
};

/** A run with two sub-agents: edits that were accepted, rejected in part and wholly, and a move. */
/** Another run has followed, which goes on. */
function editedTwice(): Recording {
  const log = edited();
  const main = { id: "main", name: "main", prefix: "", depth: 0, model: "claude-opus" };
  log.event(main, { type: "agent_start" });
  log.user(main, "And now the taxes, please");
  log.answer(main, [text("I look at how taxes are counted.")]);
  log.spend(main, { input: 4_000, output: 100, cost: 0.02 }, 12);
  return log;
}

export function edited(): Recording {
  const log = recording();
  log.host({ type: "chat_titled", title: "Count each item in the totals" });
  const main = log.agent("main");
  log.user(main, "The totals ignore how many of an item are in the cart. Fix that everywhere.");
  const tasks = {
    tasks: [
      { agent: "edit", task: "Fix the totals in the cart" },
      { agent: "edit", task: "Move the rounding into a file of its own" },
    ],
  };
  log.answer(main, [text("Two agents see to the cart and to the rounding."), toolCall("d1", "spawn_agents", tasks)]);
  log.toolStart(main, "d1", "spawn_agents", "Spawn agents", tasks);
  const cart = log.agent("edit", main, "d1", "Fix the totals");
  finish(log, cart, "e1", edit("src/cart/totals.ts", [total, { ...total, line: 40 }]));
  const rounding = log.agent("edit", main, "d1", "Move the rounding");
  const moved = { change: "move", movedTo: "src/money/round.ts" } as const;
  finish(log, rounding, "e2", edit("src/cart/round.ts", [{ line: 1, oldLines: [], newLines: [] }], moved));
  log.spend(cart, { input: 21_000, output: 1_200, cost: 0.14 }, 11);
  log.spend(rounding, { input: 9_000, output: 600, cost: 0.06 }, 5);
  log.end(cart, "done");
  log.end(rounding, "done");
  log.toolEnd(main, "d1", "spawn_agents", "[]");
  log.answer(main, [
    text("Both are done. I add a test and tidy up."),
    ...["e3", "e4", "e5"].map((id) => toolCall(id, "edit_file", { path: paths[id], edits: [] })),
  ]);
  finish(
    log,
    main,
    "e3",
    edit("src/cart/totals.ts", [
      total,
      {
        line: 31,
        oldLines: ["export default total;"],
        newLines: [],
        left: "rejected",
        reason: "Keep the default export.",
      },
    ]),
  );
  finish(log, main, "e4", edit("README.md", [{ line: 3, oldLines: ["Totals"], newLines: ["Sums"], left: "rejected" }]));
  const test = ['it("counts each item", () => {', "  assert.equal(total([{ price: 2, count: 3 }]), 6);", "});"];
  finish(
    log,
    main,
    "e5",
    edit("test/cart/totals.test.ts", [{ line: 1, oldLines: [], newLines: test }], { change: "add" }),
  );
  log.answer(main, [text("The totals now count each item. The README stays as it was.")]);
  log.spend(main, { input: 8_200, cacheRead: 12_000, output: 1_000, cost: 0.12 }, 14);
  log.end(main, "done");
  return log;
}

const paths: Record<string, string> = {
  e3: "src/cart/totals.ts",
  e4: "README.md",
  e5: "test/cart/totals.test.ts",
};

function finish(log: Recording, agent: Parameters<Recording["user"]>[0], callId: string, file: FileEdit): void {
  const args = { path: file.path, edits: [] };
  if (agent.depth > 0) log.answer(agent, [toolCall(callId, "edit_file", args)]);
  log.toolStart(agent, callId, "edit_file", "Edit", args);
  log.editEnd(agent, callId, "edit_file", [file]);
}
