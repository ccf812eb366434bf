import assert from "node:assert/strict";
import type { Skill } from "../../../src/agent/context/skills.ts";
import { skillTools } from "../../../src/agent/toolkits/skills.ts";
import { echoTool, shown, testAgent } from "../../support/scriptedAgents.ts";
import { call, text } from "../../support/scriptedModel.ts";

const skills: Skill[] = [
  { name: "ship", description: "How to ship", content: "Run the script.\n", dir: "/skills/ship" },
  { name: "brew", description: "How to brew", content: "Boil water.", dir: "/skills/brew" },
];

describe("the system prompt of an agent", () => {
  it("B15: is the same, byte for byte, in every request of a run", async () => {
    const { agent, requests } = testAgent([call("echo"), text("done")], {
      name: "main",
      description: "Leads.",
      tools: [echoTool()],
      skills,
    });
    await agent.prompt("hi");
    assert.equal(requests.length, 2);
    assert.ok(requests[0]?.systemPrompt.includes("available_skills"));
    assert.equal(requests[0]?.systemPrompt, requests[1]?.systemPrompt);
  });

  it("B16: is there once, at the start of the turns, and refreshed once it changed", async () => {
    const { agent } = testAgent([text("one"), text("two")], { systemPrompt: "First." });
    await agent.prompt("hi");
    agent.setSystemPrompt("Second.");
    await agent.prompt("again");
    assert.deepEqual(agent.turns()[0], { role: "system", text: "Second." });
    assert.equal(agent.turns().filter((turn) => turn.role === "system").length, 1);
  });
});

describe("skills of an agent", () => {
  it("B58: load_skill gives the content and where its files are", async () => {
    const { agent, requests } = testAgent([call("load_skill", { name: "ship" }), text("done")], { skills });
    await agent.prompt("hi");
    assert.match(shown(requests[1])[2] ?? "", /^Run the script\.\s(.|\n)*\/skills\/ship/);
  });

  it("B58, E58: an unknown name is an error that lists the names in order", async () => {
    const { agent, requests } = testAgent([call("load_skill", { name: "fly" }), text("done")], { skills });
    await agent.prompt("hi");
    const answer = requests[1]?.messages[2];
    assert.ok(answer?.role === "toolResult" && answer.isError);
    assert.match(shown(requests[1])[2] ?? "", /fly.*brew, ship/);
  });

  it("E58: load_skill is offered wherever there are skills, list_skills where it is asked for", async () => {
    const { agent, requests } = testAgent([text("done")], { skills });
    await agent.prompt("hi");
    assert.deepEqual(
      requests[0]?.tools.map((tool) => tool.name),
      ["load_skill"],
    );
    const names = skillTools(skills, { list: true })
      .list()
      .map((tool) => tool.name);
    assert.deepEqual(names, ["load_skill", "list_skills"]);
  });

  it("E58: list_skills gives names and descriptions", async () => {
    const tools = [skillTools(skills, { list: true })];
    const { agent, requests } = testAgent([call("list_skills"), text("done")], { tools });
    await agent.prompt("hi");
    assert.deepEqual(JSON.parse(shown(requests[1])[2] ?? ""), [
      { name: "ship", description: "How to ship" },
      { name: "brew", description: "How to brew" },
    ]);
  });
});
