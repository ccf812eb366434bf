import assert from "node:assert/strict";
import { loadTeam } from "../../../src/agent/team/teamFile.ts";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { memoryFiles } from "../../support/memoryFiles.ts";
import { echoTool } from "../../support/scriptedAgents.ts";
import { scriptedModel, testModel, text } from "../../support/scriptedModel.ts";

const model = { provider: "test", model_id: "scripted" };
const orchestrator = { type: "orchestrator", ...model, system_prompt: "members/lead.md" };
const builder = { type: "builder", ...model, system_prompt: "You build.", tools: ["build"] };

function load(members: unknown, files: Record<string, string> = {}, path = "/team/TEAM.json") {
  const scripted = scriptedModel([text("Hello.")]);
  const texts = { "/team/TEAM.json": JSON.stringify({ members }), "/team/members/lead.md": "You lead.", ...files };
  const options = { streamFn: scripted.streamFn, models: [testModel], tools: [echoTool("build"), echoTool("paint")] };
  return loadTeam(path, { ...options, files: memoryFiles(texts) });
}

describe("loadTeam", () => {
  it("E60: builds the members of a file, with their prompts from the Markdown files next to it", async () => {
    const team = await load([builder, orchestrator, { ...builder, name: "bea", description: "Builds too." }]);
    const [lead] = team.find("type", "orchestrator");
    assert.equal(lead?.role, "orchestrator");
    assert.equal(lead?.state.systemPrompt, "You lead.");
    assert.deepEqual(
      team.find("type", "builder").map((agent) => [agent.meta.name, agent.info().description]),
      [
        ["builder", ""],
        ["bea", "Builds too."],
      ],
    );
    assert.equal(textOf((await lead?.run("Hi.")) ?? { role: "summary", id: "", text: "", timestamp: 0 }), "Hello.");
  });

  it("E60: gives a member the tools it names", async () => {
    const team = await load([orchestrator, builder]);
    const names = team.find("name", "builder")[0]?.state.tools.map((tool) => tool.name);
    assert.ok(names?.includes("build") && !names.includes("paint"));
  });

  it("E60: finds the file in a folder, and a member's prompt by its name", async () => {
    const team = await load([{ type: "orchestrator", name: "lead", ...model }], {}, "/team");
    assert.equal(team.find("name", "lead")[0]?.state.systemPrompt, "You lead.");
  });

  it("E60: refuses a file without an orchestrator, and one with two", async () => {
    await assert.rejects(load([builder]), /TEAM\.json.*orchestrator.*0/);
    await assert.rejects(load([orchestrator, { ...orchestrator, name: "second" }]), /orchestrator.*2/);
  });

  it("E60: refuses two members of one name, also where the name is the type", async () => {
    await assert.rejects(load([orchestrator, builder, { ...builder }]), /"builder"/);
  });

  it("E60: says which file is missing or broken", async () => {
    await assert.rejects(load([{ ...orchestrator, system_prompt: "members/gone.md" }]), /members\/gone\.md/);
    await assert.rejects(load([orchestrator], { "/team/TEAM.json": "{" }), /TEAM\.json.*JSON/);
    await assert.rejects(load([{ type: "orchestrator" }]), /provider/);
    await assert.rejects(load([{ ...orchestrator, model_id: "unknown" }]), /unknown/);
    const options = { streamFn: scriptedModel([]).streamFn, models: [], tools: [], files: memoryFiles({}) };
    await assert.rejects(loadTeam("/nowhere.json", options), { code: "bad_input" });
  });
});
