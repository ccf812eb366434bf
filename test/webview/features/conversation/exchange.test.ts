import assert from "node:assert/strict";
import { exchangeOf } from "../../../../src/webview/features/conversation/exchange.ts";
import { applyHostMessage, emptyChatState } from "../../../../src/webview/model/chat.ts";
import { type Recording, recording, toolCall } from "../../support/recording.ts";

const brief = "b".repeat(400);

/** main has asked explore, which read and wrote a file and had one agent of its own. */
function delegated(report: string): { log: Recording; id: string } {
  const log = recording();
  const main = log.agent("main");
  const args = { agent: "explore", task: brief, context: "" };
  log.answer(main, [toolCall("call-1", "delegate_to_agent", args)]);
  log.toolStart(main, "call-1", "delegate_to_agent", "Delegate", args);
  const explore = log.agent("explore", main, "call-1");
  for (const [callId, name, path] of [
    ["read-1", "read_file", "a.ts"],
    ["read-2", "read_file", "a.ts"],
    ["write-1", "write_file", "b.ts"],
  ] as const) {
    log.toolStart(explore, callId, name, name, { path });
    log.toolEnd(explore, callId, name, "ok");
  }
  const files = [{ path: "b.ts", change: "add" as const, hunks: [{ id: "h", line: 1, added: 1, removed: 0 }] }];
  log.host({ type: "edit_written", callId: "write-1", agentId: explore.id, agentPath: ["main", "explore"], files });
  const below = log.agent("edit", explore, "call-2");
  log.toolStart(below, "read-3", "read_file", "Read", { path: "c.ts" });
  log.spend(below, { input: 6_000, output: 0, cost: 0.25 });
  log.spend(explore, { input: 3_000, output: 1_000, cost: 0.5 });
  log.end(below, "done");
  log.end(explore, "done");
  log.toolEnd(main, "call-1", "delegate_to_agent", report);
  return { log, id: explore.id };
}

function shown({ log, id, hasEarlier = false }: { log: Recording; id: string; hasEarlier?: boolean }) {
  const { tree, host } = applyHostMessage(emptyChatState(), log.chat()).state;
  return exchangeOf(id, { tree, host, hasEarlier });
}

describe("what a delegation opens to", () => {
  it("is the brief, the work of the whole branch, and the report with its share of that", () => {
    assert.deepEqual(shown(delegated("r".repeat(800))), {
      ...{ brief, briefTokens: 100, calls: 4, filesRead: 2, filesChanged: 1, tokens: 10_000, cost: 0.75 },
      ...{ report: "r".repeat(800), missing: undefined, reportTokens: 200, share: 2 },
      ...{ flag: undefined, canAsk: true },
    });
  });

  it("leaves out of the report what only the parent's model is to know, and says what is wrong with it", () => {
    const arranged = delegated("<report_check>\nThe agent's report is empty.\n</report_check>");
    arranged.log.host({ type: "report_checked", agentId: arranged.id, flag: "empty" });
    const { report, flag, reportTokens } = shown(arranged) ?? assert.fail();
    assert.deepEqual({ report, flag, reportTokens }, { report: "", flag: "empty", reportTokens: 0 });
  });

  it("shows the report that came when the parent had gone on in place of the first", () => {
    const arranged = delegated("Short.");
    arranged.log.host({ type: "report_checked", agentId: arranged.id, late: "Whole." });
    assert.equal(shown(arranged)?.report, "Whole.");
  });

  it("says of a call that a rewind removed that it is undone, and shows its report again once that is undone", () => {
    const arranged = delegated("The docs name three callers.");
    const { log } = arranged;
    const { tree } = applyHostMessage(emptyChatState(), log.chat()).state;
    const main = tree.nodes.main ?? assert.fail();
    const transcript = (messages: typeof main.messages) =>
      log.event(main.meta, { type: "transcript", messages, own: main.own, total: main.total, reason: "rewind" });
    transcript([]);
    const { report, missing, canAsk } = shown(arranged) ?? assert.fail();
    assert.deepEqual({ report, missing, canAsk }, { report: undefined, missing: "removed", canAsk: false });
    assert.equal(shown({ ...arranged, hasEarlier: true })?.missing, "not loaded");
    transcript(main.messages);
    const again = shown(arranged) ?? assert.fail();
    assert.deepEqual([again.brief, again.report, again.missing], [brief, "The docs name three callers.", undefined]);
  });

  it("has a report that is not there yet as long as the call runs, and none where it ended without", () => {
    const log = recording();
    const main = log.agent("main");
    log.answer(main, [toolCall("call-1", "delegate_to_agent", {})]);
    log.toolStart(main, "call-1", "delegate_to_agent", "Delegate", {});
    const explore = log.agent("explore", main, "call-1");
    const { id } = explore;
    assert.equal(shown({ log, id })?.missing, "not yet");
    log.end(explore, "aborted");
    assert.equal(shown({ log, id })?.missing, "not yet");
    log.end(main, "aborted");
    assert.equal(shown({ log, id })?.missing, "none");
  });

  it("is nothing of the root agent, and nothing of one that is not known", () => {
    const arranged = delegated("Short.");
    assert.equal(shown({ ...arranged, id: "main" }), undefined);
    assert.equal(shown({ ...arranged, id: "constructor" }), undefined);
  });
});
