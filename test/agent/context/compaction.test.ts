import assert from "node:assert/strict";
import { defaultCompactor } from "../../../src/agent/context/compaction.ts";
import { type AgentMessage, textOf } from "../../../src/agent/vocabulary/messages.ts";
import { assistant, user } from "../../support/events.ts";
import { iteration } from "../../support/iteration.ts";
import { calling, result, summary, toolCall } from "../../support/messages.ts";

/** Alternating prompts and answers, 40 tokens each by estimate. */
const talk = (count: number): AgentMessage[] =>
  Array.from({ length: count }, (_, index) => {
    const text = `${index} `.padEnd(160, ".");
    return index % 2 === 0 ? user(`m${index}`, text) : assistant(`m${index}`, text);
  });

function compact(
  messages: AgentMessage[],
  answers: (string | Error)[],
  options?: { keepRecent?: number; prompt?: string },
) {
  const turn = iteration(messages, { answers });
  return { turn, decided: defaultCompactor(options)(messages, turn.info) };
}

describe("defaultCompactor", () => {
  it("E54: skips below four fifths of the window and compacts from there on", async () => {
    assert.equal(await compact(talk(19), []).decided, "skip");
    assert.deepEqual(await compact(talk(20), ["S"]).decided, { summary: "S", keepFrom: "m10" });
  });

  it("E54: summarizes all but the last ten messages", async () => {
    const { turn, decided } = compact(talk(25), ["S"]);
    assert.deepEqual(await decided, { summary: "S", keepFrom: "m15" });
    const asked = turn.requests.flatMap((request) => request.messages.map(textOf)).join();
    assert.ok(asked.includes("14 .") && !asked.includes("15 ."));
  });

  it("E54: keeps no more than the last ten, also of prompts that no one answered", async () => {
    const prompts = Array.from({ length: 25 }, (_, index) => user(`m${index}`, ".".repeat(160)));
    assert.deepEqual(await compact(prompts, ["S"]).decided, { summary: "S", keepFrom: "m15" });
  });

  it("With nothing to keep, keeps the prompts that wait for an answer, or the last one", async () => {
    const waiting = [user("p", "and"), user("q", "then?")];
    const nothing = { keepRecent: 0 };
    assert.deepEqual(await compact(talk(25), ["S"], nothing).decided, { summary: "S", keepFrom: "m24" });
    assert.deepEqual(await compact(talk(24), ["S"], nothing).decided, { summary: "S" });
    assert.deepEqual(await compact([...talk(24), ...waiting], ["S"], nothing).decided, { summary: "S", keepFrom: "p" });
    const prompts = Array.from({ length: 25 }, (_, index) => user(`m${index}`, ".".repeat(160)));
    assert.deepEqual(await compact([summary("s", "S"), ...prompts], ["T"], nothing).decided, {
      summary: "S\n\nT",
      keepFrom: "m24",
    });
  });

  it("E54: leaves thinking out of what is summarized, and keeps an earlier summary instead", async () => {
    const thinking = { ...assistant("t", ""), content: [{ type: "thinking" as const, text: "SECRET" }] };
    const { turn, decided } = compact([summary("s", "EARLIER"), thinking, ...talk(25)], ["LATER"]);
    assert.deepEqual(await decided, { summary: "EARLIER\n\nLATER", keepFrom: "m15" });
    const asked = turn.requests.flatMap((request) => request.messages.map(textOf)).join();
    assert.ok(!asked.includes("EARLIER") && !asked.includes("SECRET"));
  });

  it("E54: never summarizes a summary: of one that is too long, what is latest stays word for word", async () => {
    const long = `${"OLD ".repeat(100)}\n\n${"EARLIER ".repeat(40)}`;
    const { turn, decided } = compact([summary("s", long), ...talk(25)], ["LATER"]);
    assert.deepEqual(await decided, { summary: `[…]\n\n${"EARLIER ".repeat(40)}\n\nLATER`, keepFrom: "m15" });
    const asked = turn.requests.flatMap((request) => request.messages.map(textOf)).join();
    assert.ok(!asked.includes("EARLIER") && !asked.includes("OLD"));
  });

  it("E54: skips when the summary fails or is empty", async () => {
    assert.equal(await compact(talk(25), [new Error("overloaded")]).decided, "skip");
    assert.equal(await compact(talk(25), ["  "]).decided, "skip");
  });

  it("E54: lets an abort pass", async () => {
    const controller = new AbortController();
    const turn = iteration(talk(25), { signal: controller.signal });
    turn.info.complete = async () => {
      controller.abort(new Error("stopped by the user"));
      return { ...assistant("s", ""), stopReason: "aborted" };
    };
    await assert.rejects(defaultCompactor()(turn.list(), turn.info), /stopped by the user/);
  });

  it("Never cuts between a call and its results", async () => {
    const batch = [calling("c", toolCall("1"), toolCall("2")), result("1", "one"), result("2", "two")];
    const { decided } = compact([...talk(20), ...batch, ...talk(8)], ["S"], { keepRecent: 9 });
    assert.deepEqual(await decided, { summary: "S", keepFrom: "c" });
  });

  it("skips when there is nothing new to summarize", async () => {
    assert.equal(await compact([summary("s", "S"), ...talk(25)], [], { keepRecent: 25 }).decided, "skip");
  });

  it("asks in the words it was given", async () => {
    const { turn, decided } = compact(talk(25), ["S"], { prompt: "Be terse." });
    await decided;
    assert.equal(turn.requests[0]?.systemPrompt, "Be terse.");
  });
});
