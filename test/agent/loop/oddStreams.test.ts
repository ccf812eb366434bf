import assert from "node:assert/strict";
import { Agent } from "../../../src/agent/agent/agent.ts";
import { applyDelta } from "../../../src/agent/vocabulary/applyDelta.ts";
import { errorText } from "../../../src/agent/vocabulary/errors.ts";
import { type AssistantMessage, textOf } from "../../../src/agent/vocabulary/messages.ts";
import type { StreamEvent } from "../../../src/agent/vocabulary/model.ts";
import { assistant } from "../../support/events.ts";
import { testModel } from "../../support/scriptedModel.ts";

function agentOn(stream: () => AsyncGenerator<StreamEvent>): Agent {
  return new Agent({ model: testModel, streamFn: stream, systemPrompt: "" });
}

describe("An answer that is whole", () => {
  it("counts although its usage is null", async () => {
    // Servers and their adapters may leave null where the type has nothing.
    const message = { ...assistant("a", "whole"), usage: null } as unknown as AssistantMessage;
    const agent = agentOn(async function* () {
      yield { type: "done", message };
    });
    const answer = await agent.run("go");
    assert.equal(textOf(answer), "whole");
    assert.ok(!("usage" in answer));
  });

  it("counts although the stream fails while it is closed", async () => {
    const agent = agentOn(async function* () {
      try {
        yield { type: "done", message: assistant("a", "whole") };
      } finally {
        // biome-ignore lint/correctness/noUnsafeFinally: a stream that fails here is what this is about.
        throw new Error("the connection is closed already");
      }
    });
    assert.equal(textOf(await agent.run("go")), "whole");
  });
});

describe("An answer after thinking", () => {
  const now = Date.now;
  afterEach(() => {
    Date.now = now;
  });

  async function thoughtFor(...thoughtsMs: number[]): Promise<number | undefined> {
    let passed = 0;
    Date.now = () => now() + passed;
    const agent = agentOn(async function* () {
      for (const [index, thoughtMs] of thoughtsMs.entries()) {
        yield { type: "thinking_start", index };
        passed += thoughtMs;
        yield { type: "thinking_delta", index, delta: "Hm." };
        yield { type: "thinking_end", index, content: "Hm." };
        passed += 60_000;
      }
      yield { type: "done", message: assistant("a", "So be it.") };
    });
    return (await agent.run("go")).thinkingMs;
  }

  it("says how long it took, in all its parts, and without the time after them", async () => {
    const thinkingMs = (await thoughtFor(3_000, 2_000)) ?? 0;
    assert.ok(thinkingMs >= 5_000 && thinkingMs < 8_000, `${thinkingMs}`);
  });

  it("says nothing of less than a second", async () => {
    assert.equal(await thoughtFor(200), undefined);
  });
});

describe("A StreamFn that is an async function", () => {
  it("works, whatever its type says", async () => {
    const stream = async function* (): AsyncGenerator<StreamEvent> {
      yield { type: "done", message: assistant("a", "whole") };
    };
    const later = (async () => stream()) as unknown as () => AsyncGenerator<StreamEvent>;
    assert.equal(textOf(await agentOn(later).run("go")), "whole");
  });
});

describe("The text of what was thrown", () => {
  it("is there for anything", () => {
    const throwing = {
      toString() {
        throw new Error("no text");
      },
    };
    for (const thrown of [Object.create(null), throwing, Symbol("s"), undefined, null, 1n]) {
      assert.equal(typeof errorText(thrown), "string");
    }
    assert.equal(errorText("said"), "said");
    assert.equal(errorText(new Error("failed")), "failed");
  });
});

describe("A delta for a part that no answer has", () => {
  const message = assistant("a", "so far");
  for (const index of [3e7, -1, 0.5, Number.NaN]) {
    it(`changes nothing: ${index}`, () => {
      assert.equal(applyDelta(message, { type: "text_delta", index, delta: "x" }), message);
    });
  }

  it("may skip some parts", () => {
    const { content } = applyDelta(message, { type: "text_start", index: 3 });
    assert.equal(content.length, 4);
  });
});
