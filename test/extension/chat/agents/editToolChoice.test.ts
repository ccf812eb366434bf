import assert from "node:assert/strict";
import { chooseEditTool } from "../../../../src/extension/chat/agents/chatTools.ts";
import { recordedAgent, tool } from "../../../support/agents.ts";
import { text } from "../../../support/scriptedModel.ts";

describe("the edit tool of a run", () => {
  it("follows the model, and stays in its place when it does not change", async () => {
    const replies = [text("one"), text("two"), text("three")];
    const { agent, requests } = recordedAgent(replies, { tools: [tool("edit_file"), tool("write_file")] });
    const offered = () => requests.at(-1)?.tools.map(({ name }) => name);
    chooseEditTool(agent, tool("edit_file"));
    await agent.send("go").result;
    assert.deepEqual(offered(), ["edit_file", "write_file"]);
    chooseEditTool(agent, tool("apply_patch"));
    await agent.send("go").result;
    assert.deepEqual(offered()?.toSorted(), ["apply_patch", "write_file"]);
    chooseEditTool(agent, tool("edit_file"));
    await agent.send("go").result;
    assert.deepEqual(offered()?.toSorted(), ["edit_file", "write_file"]);
  });

  it("is not given to an agent that has none", () => {
    const { agent } = recordedAgent([], { tools: [tool("read_file")] });
    chooseEditTool(agent, tool("apply_patch"));
    assert.deepEqual(
      agent.state.tools.map(({ name }) => name),
      ["read_file"],
    );
  });
});
