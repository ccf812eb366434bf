import assert from "node:assert/strict";
import { parseAgentFile } from "../../../src/extension/customization/agentFile.ts";
import { agentTemplate, completeField, explainField } from "../../../src/extension/customization/customHelp.ts";
import { knownToolNames } from "../../../src/extension/customization/toolNames.ts";

const names = { agents: ["explore", "tester"], skills: ["style"], models: ["openai/gpt-5"] };

/** What is offered where the text has a bar. */
function completed(text: string, path = ".agents/agents/a.md"): string[] {
  const before = text.slice(0, text.indexOf("|")).split("\n");
  const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  return completeField(path, text.replace("|", ""), position, names).map(({ insert }) => insert);
}

describe("the fields of a custom file", () => {
  it("are offered where one may begin, those that are there left out", () => {
    const offered = completed("---\nname: a\n|\ntools: []\n---\n");
    assert.ok(offered.includes("description: ") && offered.includes("thinking: "));
    assert.ok(!offered.includes("name: ") && !offered.includes("tools: "));
    assert.ok(!offered.includes("user-invokable: "), "another program's spelling is not offered");
    assert.ok(completed("---\ndes|", ".claude/skills/x/SKILL.md").includes("description: "));
    assert.ok(completed("---\narg|\n---", ".github/prompts/x.prompt.md").includes("argument-hint: "));
  });

  it("have their values offered, in a list over several lines too", () => {
    assert.deepEqual(completed("---\nagents: [|]\n---"), names.agents);
    assert.deepEqual(completed("---\nskills:\n  - |\n---"), names.skills);
    assert.deepEqual(completed("---\nmodel: |\n---"), ["inherit", "openai/gpt-5"]);
    assert.ok(completed("---\ntools: read_file, |\n---").includes("search_text"));
    assert.ok(!completed("---\ntools: |\n---").includes("apply_patch"), "it is edit_file for all models");
    assert.deepEqual(completed("---\ndisabled: |\n---"), ["true", "false"]);
  });

  it("are neither offered in the text below, nor in other files", () => {
    assert.deepEqual(completed("---\nname: a\n---\n|"), []);
    assert.deepEqual(completed("|"), []);
    assert.deepEqual(completed("---\n|\n---", ".claude/settings.md"), []);
  });

  it("are offered and explained in a team file, for the team and for its members", () => {
    const team = (text: string) => completed(text, ".agents/teams/a.yaml");
    assert.deepEqual(team("name: a\n|"), ["description: ", "members: "]);
    assert.ok(team("members:\n  - |").includes("system_prompt: "));
    assert.deepEqual(team("members:\n  - type: |"), ["orchestrator"]);
    assert.ok(team("members:\n  - type: x\n    tools: [|").includes("read_file"));
    assert.deepEqual(team("members:\n  - type: x\n    provider: |"), ["openai"]);
    const text = "name: a\nmembers:\n  - type: x";
    const at = (line: number, character: number) => explainField(".agents/teams/a.yaml", text, { line, character });
    assert.match(at(0, 1) ?? "", /The team's name/);
    assert.match(at(2, 5) ?? "", /orchestrator/);
    assert.equal(at(2, 11), undefined);
  });

  it("are explained under the pointer", () => {
    const text = "---\nthinking: high\nodd: 1\n---\nthinking: x";
    const at = (line: number, character: number) => explainField(".agents/agents/a.md", text, { line, character });
    assert.match(at(1, 3) ?? "", /How much it thinks/);
    assert.deepEqual([at(1, 12), at(2, 1), at(4, 3), at(0, 0)], [undefined, undefined, undefined, undefined]);
  });

  it("are filled in by the template, without a mistake", () => {
    const context = { toolNames: knownToolNames(), modelProblem: () => undefined };
    const { agent, mistakes } = parseAgentFile(".agents/agents/x.md", agentTemplate("tester"), context);
    assert.deepEqual([agent?.name, mistakes], ["tester", []]);
  });
});
