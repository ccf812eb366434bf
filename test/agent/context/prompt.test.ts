import assert from "node:assert/strict";
import { buildSystemPrompt } from "../../../src/agent/context/prompt.ts";
import type { Skill } from "../../../src/agent/context/skills.ts";

const inline: Skill = { name: "style", content: "Write short sentences.", dir: "/skills/style" };
const described: Skill = {
  name: "deploy",
  description: "How to deploy",
  content: "Run the script.",
  dir: "/skills/deploy",
};
const agents = [
  { name: "writer", description: "Writes" },
  { name: "main", description: "Leads" },
  { name: "explorer", description: "Finds" },
];
const tags = (prompt: string) => [...prompt.matchAll(/^<(\w+)>$/gm)].map((match) => match[1]);

describe("buildSystemPrompt", () => {
  it("B9: has its sections in a fixed order", () => {
    const prompt = buildSystemPrompt({
      agents,
      skills: [described, inline],
      projectContext: "Uses tabs.",
      instructions: "Be brief.",
      description: "Leads.",
      name: "main",
    });
    assert.deepEqual(tags(prompt), [
      "identity",
      "instructions",
      "project_context",
      "skills",
      "available_skills",
      "available_agents",
    ]);
    for (const tag of tags(prompt)) assert.ok(prompt.includes(`</${tag}>`));
  });

  it("B9: leaves out a section that would be empty", () => {
    assert.deepEqual(tags(buildSystemPrompt({ name: "main", instructions: "  ", skills: [], agents: [] })), [
      "identity",
    ]);
  });

  it("B10: says who the agent is and what it is for", () => {
    assert.match(buildSystemPrompt({ name: "main", description: "Leads." }), /main.*Leads\./);
  });

  it("B10: says the name alone when there is no description", () => {
    assert.equal(buildSystemPrompt({ name: "main" }), "<identity>\nYou are main.\n</identity>");
  });

  it("B11: does not mention project context when there is none", () => {
    assert.ok(!buildSystemPrompt({ name: "main", instructions: "Be brief." }).includes("project_context"));
  });

  it("B12: gives a skill without description whole, under a heading with its name", () => {
    const prompt = buildSystemPrompt({ name: "main", skills: [inline, described] });
    assert.match(prompt, /<skills>\n## style\n\nWrite short sentences\.\n<\/skills>/);
  });

  it("B12: gives of a described skill its name and description and how to load it, not its content", () => {
    const prompt = buildSystemPrompt({ name: "main", skills: [inline, described] });
    assert.match(prompt, /<available_skills>[^<]*load_skill[^<]*deploy: How to deploy[^<]*<\/available_skills>/);
    assert.ok(!prompt.includes("Run the script."));
  });

  it("B13: has neither skills section without skills of its kind", () => {
    assert.deepEqual(tags(buildSystemPrompt({ name: "main", skills: [inline] })), ["identity", "skills"]);
    assert.deepEqual(tags(buildSystemPrompt({ name: "main", skills: [described] })), ["identity", "available_skills"]);
  });

  it("B14: lists the other agents by name, never the agent itself", () => {
    const section = /<available_agents>\n([^<]*)\n<\/available_agents>/.exec(
      buildSystemPrompt({ name: "main", agents }),
    );
    assert.equal(section?.[1], "- explorer: Finds\n- writer: Writes");
  });

  it("B14: has no list of agents when there is only itself", () => {
    const prompt = buildSystemPrompt({ name: "main", agents: [{ name: "main", description: "Leads" }] });
    assert.ok(!prompt.includes("available_agents"));
  });

  it("gives the same bytes for the same agents in another order", () => {
    const forwards = buildSystemPrompt({ name: "main", agents, skills: [inline, described] });
    assert.equal(
      buildSystemPrompt({ name: "main", agents: agents.toReversed(), skills: [inline, described] }),
      forwards,
    );
  });
});
