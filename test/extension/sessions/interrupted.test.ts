import assert from "node:assert/strict";
import { interruptedAgents } from "../../../src/extension/sessions/interrupted.ts";
import { chatLog } from "./support/chatLog.ts";

describe("agents whose run has no end", () => {
  const idsOf = (log: ReturnType<typeof chatLog>) => interruptedAgents(log.entries).map(({ agent }) => agent.id);

  it("are none where every run ended, however", () => {
    const log = chatLog()
      .run("first")
      .run("second", [{ text: "Hm", calls: [{ child: [{ text: "Yes" }] }] }], "error");
    assert.deepEqual(idsOf(log), []);
  });

  it("are told from the innermost to the root, so that each ends before who called it", () => {
    const log = chatLog()
      .run("first")
      .begin("second", { child: [{ text: "Hm" }] });
    const ids = idsOf(log);
    assert.equal(ids.length, 2);
    assert.equal(ids[1], "root");
  });

  it("do not include a sub-agent that ended under one that did not", () => {
    const log = chatLog().begin("second", { child: [{ text: "Hm", calls: [{ child: [{ text: "Yes" }] }] }] });
    assert.equal(idsOf(log).length, 2);
  });
});
