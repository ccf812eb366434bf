import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { estimatedTokens, type PromptParts, patchTool, promptParts } from "../../support/promptParts.ts";

const folder = path.join(import.meta.dirname, "golden");

/** What a provider gets, as people read it. `ARBOR_GOLDEN=write` writes it again, to be looked at in the diff. */
async function assertGolden(name: string, text: string): Promise<void> {
  const file = path.join(folder, name);
  if (process.env.ARBOR_GOLDEN === "write") await writeFile(file, text);
  assert.equal(text, await readFile(file, "utf8"), `${name} differs: run with ARBOR_GOLDEN=write and review the diff`);
}

function toolsText(tools: PromptParts["tools"]): string {
  return tools.map(({ json }) => `${JSON.stringify(JSON.parse(json), undefined, 2)}\n`).join("");
}

describe("The prompts", () => {
  let parts: PromptParts[];
  before(async () => {
    parts = await promptParts();
  });
  const partsOf = (name: string) => {
    const found = parts.find((each) => each.name === name);
    assert.ok(found);
    return found;
  };

  for (const name of ["main", "explore", "edit"]) {
    it(`of ${name} are those that were reviewed`, () => assertGolden(`${name}.txt`, `${partsOf(name).systemPrompt}\n`));
  }

  it("go with tools that were reviewed", () =>
    assertGolden("tools.txt", toolsText([...partsOf("main").tools, patchTool()])));

  it("stay small", () => {
    const tokensOf = ({ systemPrompt, tools }: PromptParts) =>
      estimatedTokens(systemPrompt + tools.map(({ json }) => json).join(""));
    const toolTokens = estimatedTokens(
      partsOf("main")
        .tools.map(({ json }) => json)
        .join(""),
    );
    assert.ok(estimatedTokens(partsOf("main").systemPrompt) < 1_100);
    assert.ok(toolTokens <= 3_000, `${toolTokens} tokens of tools`);
    // The first message brings the environment and the user's words.
    assert.ok(tokensOf(partsOf("main")) <= 5_200);
    assert.ok(tokensOf(partsOf("explore")) <= 2_200);
  });

  it("name no bound that every integer has", () => {
    for (const { json } of [...partsOf("main").tools, patchTool()]) assert.ok(!json.includes("9007199254740991"), json);
  });

  it("give the explorer no one to delegate to, and others the names of the agents", () => {
    const names = partsOf("explore").tools.map(({ name }) => name);
    assert.ok(!names.some((name) => /agent/.test(name)), names.join(", "));
    assert.doesNotMatch(partsOf("explore").systemPrompt, /available_agents/);
    const delegating = partsOf("main").tools.find(({ name }) => name === "delegate_to_agent");
    assert.match(delegating?.json ?? "", /"enum":\["edit","explore"\]/);
  });

  it("say who the agent is, and not its name in the tree", () => {
    assert.match(partsOf("main").systemPrompt, /^<identity>\nYou are Arbor, a coding agent/);
  });
});
