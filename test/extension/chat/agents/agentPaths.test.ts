import assert from "node:assert/strict";
import { AgentPaths } from "../../../../src/extension/chat/agents/agentPaths.ts";

describe("the paths of agents", () => {
  it("end where an imported chat says that agents spawned themselves or each other", () => {
    const paths = new AgentPaths();
    const seen = (id: string, parentId: string) =>
      paths.observe({
        type: "agent_start",
        agent: { id, name: id, prefix: id, depth: 1, parentId },
        ...{ sessionId: "s", runId: "r", seq: 0, timestamp: 0 },
      });
    seen("own", "own");
    seen("one", "other");
    seen("other", "one");
    assert.deepEqual(paths.of("own"), ["own"]);
    assert.deepEqual(paths.of("one"), ["other", "one"]);
  });
});
