import assert from "node:assert/strict";
import { claudeFamily, modelFamily, openaiFamily } from "../../../../src/agent/providers/shared/modelFamily.ts";

const levelsOf = (id: string) => modelFamily(id)?.levels.join(" ");

describe("the family of a model", () => {
  it("is found in ids as different servers write them", () => {
    for (const id of [
      "claude-opus-4-6",
      "anthropic/claude-opus-4.6",
      "us.anthropic.claude-opus-4-6-v1:0",
      "claude-opus-4-6@20260205",
      "Claude-Opus-4-6",
    ]) {
      assert.equal(levelsOf(id), "off low medium high max", id);
    }
    assert.deepEqual(openaiFamily("openai/gpt-5.2"), openaiFamily("gpt-5.2"));
  });

  it("distinguishes a date from a version", () => {
    for (const id of ["claude-opus-4-20250514", "claude-sonnet-4-5-20250929", "claude-3-7-sonnet-20250219"]) {
      assert.equal(claudeFamily(id)?.thinking, "budget", id);
    }
    assert.equal(levelsOf("claude-3-5-sonnet-20241022"), "off");
  });

  it("says of each Claude how it is asked to think least", () => {
    const least = {
      "claude-sonnet-4-6": "none",
      "claude-opus-4-8": "none",
      "claude-opus-5": "disabled",
      "claude-sonnet-5": "disabled",
      "claude-haiku-5-5": "disabled",
      "claude-sonnet-5-5": "between_tools",
      "claude-opus-5-5": "effort",
      "claude-fable-5": "effort",
      "claude-mythos-preview": "effort",
    };
    for (const [id, expected] of Object.entries(least)) {
      const family = claudeFamily(id);
      assert.equal(family?.least, expected, id);
      assert.equal(family?.thinking, "adaptive", id);
      assert.equal(family?.levels.includes("off"), expected === "none" || expected === "disabled", id);
    }
  });

  it("says of each of OpenAI's models which efforts it takes", () => {
    const levels = {
      "o4-mini": "low medium high",
      "gpt-4.1": "off",
      "gpt-4o": "off",
      "gpt-5": "minimal low medium high",
      "gpt-5-chat-latest": "off",
      "gpt-5-codex": "low medium high",
      "gpt-5-pro": "high",
      "gpt-5.1": "off low medium high",
      "gpt-5.1-codex-max": "low medium high xhigh",
      "gpt-5.4": "off low medium high xhigh",
      "gpt-5.6-terra": "off low medium high xhigh max",
      "gpt-6-luna": "off low medium high xhigh max",
      "gpt-6-astra": "low medium high xhigh max",
      "openai/gpt-6.2-sol": "low medium high xhigh max",
    };
    for (const [id, expected] of Object.entries(levels)) assert.equal(levelsOf(id), expected, id);
  });

  it("is unknown for everything else, also for models with a maker's name in theirs", () => {
    for (const id of ["gpt-oss-120b", "llama-4", "my-o1", "qwen3-coder", "notclaude"]) {
      assert.equal(modelFamily(id), undefined, id);
    }
  });

  it("knows Google's and DeepSeek's models, too", () => {
    assert.equal(levelsOf("google/gemini-2.5-flash"), "off low medium high");
    assert.equal(levelsOf("gemini-3.1-pro-preview"), "low medium high");
    assert.equal(levelsOf("gemini-2.0-flash"), "off");
    assert.equal(levelsOf("deepseek/deepseek-v4-pro"), "off low high max");
  });
});
