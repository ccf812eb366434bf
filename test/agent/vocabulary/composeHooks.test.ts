import assert from "node:assert/strict";
import { composeHooks } from "../../../src/agent/vocabulary/composeHooks.ts";
import type { LoopHooks } from "../../../src/agent/vocabulary/hooks.ts";
import { userMessage } from "../../../src/agent/vocabulary/messages.ts";
import { said } from "../../support/agents.ts";
import { testModel } from "../../support/scriptedModel.ts";

const otherModel = { ...testModel, id: "other" };

describe("composeHooks", () => {
  const signal = new AbortController().signal;
  const info = { call: { type: "toolCall", id: "c", name: "t", arguments: {} } } as never;

  it("leaves a hook absent that no one has", () => {
    assert.deepEqual(composeHooks({}, {}), {});
    assert.deepEqual(Object.keys(composeHooks({ getApiKey: () => "k" }, {})), ["getApiKey"]);
  });

  it("chains transforms and takes the last projection", async () => {
    const add = (value: string): LoopHooks => ({ transformContext: (list) => [...list, userMessage(value)] });
    const hooks = composeHooks(
      add("a"),
      add("b"),
      { convertToLlm: () => [] },
      { convertToLlm: () => [userMessage("c")] },
    );
    assert.deepEqual(said((await hooks.transformContext?.([], signal)) ?? []), ["user: a", "user: b"]);
    assert.deepEqual(said((await hooks.convertToLlm?.([])) ?? []), ["user: c"]);
  });

  it("takes the first block and asks no later hook", async () => {
    const asked: number[] = [];
    const hook = (n: number, block: boolean): LoopHooks => ({
      beforeToolCall() {
        asked.push(n);
        return block ? { block: true, reason: String(n) } : undefined;
      },
    });
    const hooks = composeHooks(hook(1, false), hook(2, true), hook(3, true));
    assert.deepEqual(await hooks.beforeToolCall?.(info), { block: true, reason: "2" });
    assert.deepEqual(asked, [1, 2]);
  });

  it("merges patches, each hook seeing those before it", async () => {
    const seen: unknown[] = [];
    const hooks = composeHooks(
      { afterToolCall: () => ({ content: "a", isError: true }) },
      {
        afterToolCall(after) {
          seen.push(after.result.content, after.isError);
          return { content: "b" };
        },
      },
    );
    const after = { result: { content: "raw" }, isError: false } as never;
    assert.deepEqual(await hooks.afterToolCall?.(after), { content: "b", isError: true });
    assert.deepEqual(seen, ["a", true]);
  });

  it("takes the last field of prepareNextTurn, stops if any says so, joins lists and takes the first key", async () => {
    const turn = {} as never;
    const hooks = composeHooks(
      {
        prepareNextTurn: () => ({ model: testModel, thinkingLevel: "low" }),
        shouldStopAfterTurn: () => true,
        beforeFinish: () => [userMessage("1")],
        getSteeringMessages: () => [userMessage("1")],
        getFollowUpMessages: () => [userMessage("1")],
        getApiKey: () => "",
      },
      {
        prepareNextTurn: () => ({ model: otherModel }),
        shouldStopAfterTurn: () => false,
        beforeFinish: () => [userMessage("2")],
        getSteeringMessages: () => [userMessage("2")],
        getFollowUpMessages: () => [userMessage("2")],
        getApiKey: () => "second",
      },
    );
    assert.deepEqual(await hooks.prepareNextTurn?.(turn), { model: otherModel, thinkingLevel: "low" });
    assert.equal(await hooks.shouldStopAfterTurn?.(turn), true);
    for (const list of [
      await hooks.beforeFinish?.(turn),
      await hooks.getSteeringMessages?.(),
      await hooks.getFollowUpMessages?.(),
    ]) {
      assert.deepEqual(said(list ?? []), ["user: 1", "user: 2"]);
    }
    assert.equal(await hooks.getApiKey?.("p"), "second");
  });
});
