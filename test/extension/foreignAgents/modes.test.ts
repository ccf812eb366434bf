import assert from "node:assert/strict";
import { canPlan, supervisionOf, wantedMode } from "../../../src/extension/foreignAgents/modes.ts";

const codex = "@agentclientprotocol/codex-acp";
const modes = {
  currentModeId: "agent",
  availableModes: ["read-only", "workspace-write", "agent", "agent-full-access"].map((id) => ({ id, name: id })),
};

describe("the mode of another program", () => {
  it("of Codex is the one in which its user is asked before a command leaves the sandbox", () => {
    assert.equal(wantedMode(codex, modes, "ask"), "workspace-write");
    assert.equal(supervisionOf(codex, "workspace-write"), "sandboxed");
    // There a model answers in the user's place.
    assert.equal(supervisionOf(codex, "agent"), "unsupervised");
  });

  it("for plans of Codex is the one that writes nothing", () => {
    assert.equal(wantedMode(codex, modes, "plan"), "read-only");
    assert.ok(canPlan(codex, "read-only") && !canPlan(codex, "workspace-write"));
  });
});
