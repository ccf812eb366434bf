import assert from "node:assert/strict";
import { createCostLimitQuestion } from "../../../src/extension/models/costLimit.ts";
import type { Notice } from "../../../src/protocol/hostEvents.ts";

function arranged({ maxCost = 0 } = {}) {
  const stored = new Map<string, unknown>();
  const shown: Notice[] = [];
  const written: number[] = [];
  const inWindow = () => {
    const question = createCostLimitQuestion({
      storage: {
        get: (key) => stored.get(key),
        update: async (key, value) => void stored.set(key, value),
      },
      maxCost: () => maxCost,
      write: async (cost) => void written.push(cost),
    });
    const use = (id: string, hasPrice: boolean) =>
      question.follow({ id, label: id, isDemo: false, hasPrice }, (notice) => shown.push(notice));
    return { ...question, use };
  };
  return { ...inWindow(), inWindow, shown, written };
}

describe("the question whether to limit the cost of a run", () => {
  it("comes when the user first chooses a model with a price, and not before", () => {
    const { use, shown } = arranged();
    use("openai/first", true);
    use("ollama/local", false);
    assert.deepEqual(shown, []);
    use("openai/gpt", true);
    use("openai/gpt", true);
    assert.deepEqual(
      shown.map(({ text, actions }) => [text, actions]),
      [["Limit cost per run? A run that reaches the limit pauses and asks you.", ["limitCost", "noCostLimit"]]],
    );
  });

  it("comes when the price is known, if that is later", () => {
    const { use, shown } = arranged();
    use("demo/demo", false);
    use("openrouter/new", false);
    use("openrouter/new", true);
    assert.equal(shown.length, 1);
  });

  it("writes the suggested limit when the user wants one, and nothing else", async () => {
    const limited = arranged();
    await limited.answer(true);
    const unlimited = arranged();
    await unlimited.answer(false);
    assert.deepEqual([limited.written, unlimited.written], [[5], []]);
  });

  it("is asked once, in all windows, and never where there is a limit", async () => {
    const { answer, inWindow, shown } = arranged();
    await answer(false);
    const limited = arranged({ maxCost: 2 });
    for (const { use } of [inWindow(), limited]) {
      use("demo/demo", false);
      use("openai/gpt", true);
    }
    assert.deepEqual([shown, limited.shown], [[], []]);
  });
});
