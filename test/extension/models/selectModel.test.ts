import assert from "node:assert/strict";
import { type ModelPrompts, selectModel } from "../../../src/extension/models/selectModel.ts";
import { memoryKeys, settingsFrom } from "../../support/settings.ts";

function select(input: unknown, picked?: string) {
  const saved: string[] = [];
  const prompts: ModelPrompts = { pickModel: async () => picked };
  const save = async (model: string) => {
    saved.push(model);
  };
  const outcome = selectModel(input, { settings: settingsFrom(), keys: memoryKeys(), prompts, save });
  return outcome.then((result) => ({ result, saved }));
}

describe("selecting a model", () => {
  it("saves the one that is named", async () => {
    const { result, saved } = await select("ollama/qwen3");
    assert.deepEqual(result, { type: "selected", model: "ollama/qwen3" });
    assert.deepEqual(saved, ["ollama/qwen3"]);
  });

  it("saves the one that the user picks or types", async () => {
    const { saved } = await select(undefined, " openrouter/a/b ");
    assert.deepEqual(saved, ["openrouter/a/b"]);
  });

  it("changes nothing when the user leaves", async () => {
    const { result, saved } = await select(undefined, undefined);
    assert.deepEqual(result, { type: "canceled" });
    assert.deepEqual(saved, []);
  });

  for (const input of ["nobody/x", "nonsense", 4]) {
    it(`refuses ${JSON.stringify(input)} and saves nothing`, async () => {
      const { result, saved } = await select(input);
      assert.equal(result.type, "refused");
      assert.deepEqual(saved, []);
    });
  }
});
