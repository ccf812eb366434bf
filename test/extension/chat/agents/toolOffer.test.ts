import assert from "node:assert/strict";
import * as z from "zod";
import { Agent, type AgentTool, Toolbox } from "../../../../src/agent/index.ts";
import { offerTools } from "../../../../src/extension/chat/agents/chatTools.ts";
import { scriptedModel, text } from "../../../support/scriptedModel.ts";

const toolNamed = (name: string): AgentTool => ({ name, description: name, schema: z.object({}), execute: () => "" });
const [read, edit, patch, run] = ["read_file", "edit_file", "apply_patch", "run_command"].map(toolNamed) as [
  AgentTool,
  AgentTool,
  AgentTool,
  AgentTool,
];
const all = [read, edit, run];

async function agentWith(tools: AgentTool[]) {
  const { model, streamFn, requests } = scriptedModel([text("one"), text("two")]);
  const agent = new Agent({ name: "main", model, streamFn, tools });
  agent.addToolboxes(new Toolbox("others", [toolNamed("delegate")]));
  return {
    agent,
    async namesOfNext() {
      await agent.prompt("go on");
      return requests.at(-1)?.tools.map(({ name }) => name);
    },
  };
}

describe("the editor's tools of an agent", () => {
  it("come with trust that is granted in the middle of a chat", async () => {
    const { agent, namesOfNext } = await agentWith([]);
    assert.deepEqual(await namesOfNext(), ["delegate"]);
    offerTools(agent, all, all);
    assert.deepEqual(await namesOfNext(), ["read_file", "edit_file", "run_command", "delegate"]);
  });

  it("94 go and come back with trust, and leave what is not the editor's", async () => {
    const { agent, namesOfNext } = await agentWith(all);
    offerTools(agent, [read], all);
    assert.deepEqual(await namesOfNext(), ["read_file", "delegate"]);
    offerTools(agent, all, all);
    assert.deepEqual(new Set(await namesOfNext()), new Set(["read_file", "edit_file", "run_command", "delegate"]));
  });

  it("stay as they are where nothing changed, whichever edit tool its model has", async () => {
    const { agent } = await agentWith([read, patch, run]);
    const before = agent.state.tools;
    offerTools(agent, all, all);
    assert.deepEqual(agent.state.tools, before);
  });
});
