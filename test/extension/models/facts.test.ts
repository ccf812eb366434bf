import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type FactSources,
  isSameClaude,
  type ModelFacts,
  mergeFacts,
  modelFacts,
  offeredModels,
} from "../../../src/extension/models/facts.ts";

const ids = ["a", "b", "c"];
const count = fc.integer({ min: 1, max: 1_000_000 });
const facts = fc.record(
  {
    id: fc.constantFrom(...ids),
    name: fc.string({ minLength: 1 }),
    contextWindow: count,
    maxOutput: count,
    price: fc.record({ input: fc.nat(), output: fc.nat() }),
    images: fc.boolean(),
    tools: fc.boolean(),
    thinkingLevels: fc.constantFrom<ModelFacts["thinkingLevels"] & {}>(["off"], ["off", "low"]),
  },
  { requiredKeys: ["id"] },
);
const list = fc.uniqueArray(facts, { selector: (model) => model.id });
const sources: fc.Arbitrary<FactSources> = fc.record({
  own: list,
  reported: fc.option(list, { nil: undefined }),
  table: list,
  isSame: fc.constant((a: string, b: string) => a === b),
});
const fieldNames = ["name", "contextWindow", "maxOutput", "price", "images", "tools", "thinkingLevels"] as const;

describe("what is known of a model", () => {
  it("is field by field the user's word, else the provider's, else the table's", () => {
    fc.assert(
      fc.property(sources, fc.constantFrom(...ids), (known, id) => {
        const merged = modelFacts(id, known);
        const [own, reported, table] = [known.own, known.reported ?? [], known.table].map((models) =>
          models.find((model) => model.id === id),
        );
        assert.equal(merged.id, id);
        for (const field of fieldNames) {
          assert.deepEqual(merged[field], own?.[field] ?? reported?.[field] ?? table?.[field], field);
          assert.equal(Object.hasOwn(merged, field), merged[field] !== undefined, `${field} is absent, not undefined`);
        }
      }),
    );
  });

  it("does not depend on how often it is merged", () => {
    fc.assert(
      fc.property(facts, facts, (a, b) => {
        const once = mergeFacts(a, b);
        assert.deepEqual(mergeFacts(once, a, b), once);
      }),
    );
  });
});

describe("the models to offer", () => {
  it("are each one once, the user's first, and the table's only while the provider said nothing", () => {
    fc.assert(
      fc.property(sources, (known) => {
        const offered = offeredModels(known).map((model) => model.id);
        assert.equal(new Set(offered).size, offered.length);
        assert.deepEqual(
          offered.slice(0, known.own.length),
          known.own.map((model) => model.id),
        );
        const listed = new Set([...known.own, ...(known.reported ?? known.table)].map((model) => model.id));
        assert.deepEqual(new Set(offered), listed);
      }),
    );
  });
});

describe("a name of a Claude model", () => {
  it("is the same with and without its date", () => {
    assert.ok(isSameClaude("claude-haiku-4-5", "claude-haiku-4-5-20251001"));
    assert.ok(isSameClaude("claude-haiku-4-5-20251001", "claude-haiku-4-5"));
  });

  it("is another one with another date, version or maker", () => {
    assert.ok(!isSameClaude("claude-haiku-4-5-20251001", "claude-haiku-4-5-20260101"));
    assert.ok(!isSameClaude("claude-haiku-4-5", "claude-haiku-4"));
    assert.ok(!isSameClaude("gpt-6", "gpt-6-20260101"));
  });

  it("takes the facts of the one that the provider lists", () => {
    const known = modelFacts("claude-haiku-4-5", {
      own: [],
      reported: [{ id: "claude-haiku-4-5-20251001", contextWindow: 7 }],
      table: [{ id: "claude-haiku-4-5", contextWindow: 5, price: { input: 1, output: 5 } }],
      isSame: isSameClaude,
    });
    const { thinkingLevels: _, ...rest } = known;
    assert.deepEqual(rest, { id: "claude-haiku-4-5", contextWindow: 7, price: { input: 1, output: 5 } });
  });

  it("estimates how much a model thinks whose name no one knows yet, unless somebody does", () => {
    const sources = { own: [], reported: undefined, table: [], isSame: isSameClaude };
    assert.deepEqual(modelFacts("vendor/claude-opus-4.9", sources).thinkingLevels?.at(-1), "max");
    assert.equal(modelFacts("vendor/unheard-of", sources).thinkingLevels, undefined);
    const own = [{ id: "gpt-5.6", thinkingLevels: ["off" as const] }];
    assert.deepEqual(modelFacts("gpt-5.6", { ...sources, own }).thinkingLevels, ["off"]);
  });
});
