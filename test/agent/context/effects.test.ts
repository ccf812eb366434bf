import assert from "node:assert/strict";
import { compactEffect, compactorEffect } from "../../../src/agent/context/compactEffect.ts";
import { defaultCompactor } from "../../../src/agent/context/compaction.ts";
import { trimToolResultsEffect } from "../../../src/agent/context/trimToolResults.ts";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { defaultConvertToLlm } from "../../../src/agent/vocabulary/projection.ts";
import { assistant, user } from "../../support/events.ts";
import { type FakeIteration, iteration } from "../../support/iteration.ts";
import { calling, result, toolCall } from "../../support/messages.ts";

const types = ({ events }: FakeIteration) => events.map((event) => event.type);
const long = "x".repeat(1000);
/** A window of 1,000 tokens, of which this fills 900 by what the provider measured. */
const full = { inputTokens: 900 };

describe("compactEffect", () => {
  it("B50: does nothing below four fifths of the window, and acts from there on", async () => {
    const below = iteration([user("u", "hi"), assistant("a", "yes")], { inputTokens: 799 });
    await compactEffect({}).before?.(below.info);
    assert.deepEqual(below.requests, []);
    const at = iteration([user("u", "hi"), assistant("a", "yes")], { inputTokens: 800, answers: ["S"] });
    await compactEffect({}).before?.(at.info);
    assert.equal(at.requests.length, 1);
  });

  it("B50: does nothing when window or threshold is 0, or the window is unknown", async () => {
    const model = { id: "m", provider: "p" };
    for (const [options, more] of [
      [{ contextWindow: 0 }, {}],
      [{ threshold: 0 }, {}],
      [{}, { model }],
    ] as const) {
      const turn = iteration([user("u", "hi"), assistant("a", long)], { ...full, ...more });
      await compactEffect(options).before?.(turn.info);
      assert.deepEqual([turn.requests, turn.events], [[], []]);
    }
  });

  it("summarizes at once when it is said to be due, whatever the size and without cutting results", async () => {
    const messages = [user("u", "hi"), calling("a", toolCall("c")), result("c", long), assistant("b", "yes")];
    const turn = iteration(messages, { answers: ["S"], model: { id: "m", provider: "p" } });
    await compactEffect({ threshold: 0, isDue: () => true }).before?.(turn.info);
    assert.deepEqual(
      turn.events.map((event) => event.type),
      ["compaction_start", "compaction_end"],
    );
    assert.equal(turn.appended[0]?.role, "summary");
  });

  it("B50: has no after phase", () => {
    assert.equal(compactEffect({}).after, undefined);
  });

  it("Acts before the first request too, and takes the estimate where no request was measured", async () => {
    const turn = iteration([user("u", "x".repeat(3600)), assistant("a", "yes")], { iteration: 0, answers: ["S"] });
    await compactEffect({}).before?.(turn.info);
    assert.equal(turn.requests.length, 1);
  });

  it("B51: cuts long tool results outside the last messages, marks them and reports it", async () => {
    const recent = Array.from({ length: 6 }, (_, index) => assistant(`a${index}`, "ok"));
    const turn = iteration(
      [calling("c", toolCall("1"), toolCall("2")), result("1", long), result("2", "short"), ...recent],
      full,
    );
    await compactEffect({}).before?.(turn.info);
    const [, cut, short] = turn.list();
    assert.ok(cut && short);
    assert.match(textOf(cut), /^x{200}\s*\S.*$/);
    assert.equal(textOf(short), "short");
    const end = turn.events.at(-1);
    assert.ok(end?.type === "compaction_end" && end.kind === "trim");
    assert.ok(end.before === 900 && end.after < 200);
  });

  it("B51: cuts neither errors nor the last six messages", async () => {
    const error = result("1", long, { isError: true });
    const recent = [result("2", long), ...Array.from({ length: 5 }, (_, index) => assistant(`a${index}`, "ok"))];
    const turn = iteration([calling("c", toolCall("1"), toolCall("2")), error, ...recent], { ...full, answers: ["S"] });
    const before = turn.list();
    await compactEffect({}).before?.(turn.info);
    assert.equal(turn.events.filter((event) => event.type === "compaction_end" && event.kind === "trim").length, 0);
    assert.equal(before[1], error);
  });

  it("B51: does not cut a second time what it has cut", async () => {
    const messages = [result("1", long), ...Array.from({ length: 6 }, (_, index) => assistant(`a${index}`, "ok"))];
    const turn = iteration(messages, full);
    const effect = compactEffect({});
    await effect.before?.(turn.info);
    const once = turn.list();
    const again = iteration([...once], { ...full, answers: ["S"] });
    await effect.before?.(again.info);
    assert.equal(types(again).length, 2);
    assert.ok(again.events.every((event) => event.type !== "compaction_end" || event.kind === "summary"));
  });

  it("B53: asks for no summary when cutting made enough room", async () => {
    const messages = [result("1", long), ...Array.from({ length: 6 }, (_, index) => assistant(`a${index}`, "ok"))];
    const turn = iteration(messages, full);
    await compactEffect({}).before?.(turn.info);
    assert.deepEqual(turn.requests, []);
  });

  it("B52: puts one message in place of everything, that holds the summary and asks to go on", async () => {
    const turn = iteration([user("u", "Fix it"), assistant("a", "I will")], { ...full, answers: ["  Half done.  "] });
    await compactEffect({}).before?.(turn.info);
    const shown = defaultConvertToLlm(turn.list());
    assert.equal(shown.length, 1);
    assert.match(shown.map(textOf).join(), /compacted.*Half done\..*go on/is);
    assert.deepEqual(turn.appended, turn.list());
    assert.deepEqual(types(turn), ["compaction_start", "compaction_end"]);
  });

  it("B52: asks without tools for a summary of a text that has arguments and results cut", async () => {
    const args = { text: "y".repeat(1000) };
    const messages = [
      user("u", "Fix it"),
      calling("c", toolCall("1", "write", args)),
      result("1", long, { isError: true }),
      { ...assistant("t", ""), content: [{ type: "thinking" as const, text: "SECRET" }] },
    ];
    const turn = iteration(messages, { ...full, answers: ["S"] });
    await compactEffect({}).before?.(turn.info);
    const [request] = turn.requests;
    assert.ok(request);
    assert.deepEqual(request.tools, []);
    for (const part of ["goal", "done", "in progress", "decisions", "constraints", "next steps"]) {
      assert.ok(request.systemPrompt.includes(part), part);
    }
    const rendered = request.messages.map(textOf).join();
    assert.match(rendered, /Fix it/);
    const runs = (letter: string) => (rendered.match(new RegExp(`${letter}+`, "g")) ?? []).map((run) => run.length);
    assert.ok(Math.max(...runs("x")) === 500 && Math.max(...runs("y")) < 200);
    assert.ok(!rendered.includes("SECRET"));
  });

  it("keeps a prompt that no one has answered yet word for word", async () => {
    const prompt = user("v", "And now this");
    const turn = iteration([user("u", "Fix it"), assistant("a", "Done"), prompt], { ...full, answers: ["S"] });
    await compactEffect({}).before?.(turn.info);
    assert.equal(turn.list().at(-1), prompt);
    assert.equal(turn.list().length, 2);
  });

  it("B54: goes on uncompacted and without error when the summary fails", async () => {
    const messages = [user("u", "hi"), assistant("a", "yes")];
    const turn = iteration(messages, { ...full, answers: [new Error("overloaded")] });
    await compactEffect({}).before?.(turn.info);
    assert.deepEqual(turn.list(), messages);
    assert.deepEqual(turn.appended, []);
  });

  it("B54: asks what to do and tries once more; a second failure is silent", async () => {
    const asked: string[] = [];
    const onFailure = async (error: Error) => {
      asked.push(error.message);
      return "retry" as const;
    };
    const messages = [user("u", "hi"), assistant("a", "yes")];
    const failing = iteration(messages, { ...full, answers: [new Error("one"), new Error("two")] });
    await compactEffect({ onFailure }).before?.(failing.info);
    assert.deepEqual(asked, ["one"]);
    assert.deepEqual(failing.list(), messages);
    const recovering = iteration(messages, { ...full, answers: [new Error("one"), "S"] });
    await compactEffect({ onFailure }).before?.(recovering.info);
    assert.equal(recovering.appended.length, 1);
  });

  it("B54: asks about a failure of the default compactor too", async () => {
    const messages = [user("u", "hi"), assistant("a", "yes")];
    const turn = iteration(messages, { ...full, answers: [new Error("one"), "S"] });
    const asked: string[] = [];
    const onFailure = async (error: Error) => {
      asked.push(error.message);
      return "retry" as const;
    };
    await compactEffect({ compactor: defaultCompactor({ keepRecent: 0 }), onFailure }).before?.(turn.info);
    assert.deepEqual(asked, ["one"]);
    assert.equal(turn.appended.length, 1);
  });

  it("B54: does not try again when it may continue", async () => {
    const turn = iteration([user("u", "hi"), assistant("a", "yes")], { ...full, answers: [new Error("one"), "S"] });
    await compactEffect({ onFailure: async () => "continue" }).before?.(turn.info);
    assert.equal(turn.requests.length, 1);
  });

  it("B54: lets an abort pass", async () => {
    const controller = new AbortController();
    const turn = iteration([user("u", "hi"), assistant("a", "yes")], { ...full, signal: controller.signal });
    turn.info.complete = async () => {
      controller.abort(new Error("stopped by the user"));
      throw controller.signal.reason;
    };
    await assert.rejects(async () => compactEffect({}).before?.(turn.info), /stopped by the user/);
  });

  it("Leaves it to a compactor what is kept", async () => {
    const messages = [user("1", "a"), assistant("2", "b"), user("3", "c"), assistant("4", "d")];
    const turn = iteration(messages, full);
    await compactEffect({ compactor: async () => ({ summary: "S", keepFrom: "3" }) }).before?.(turn.info);
    assert.deepEqual(turn.list().map(textOf), ["S", "c", "d"]);
  });
});

describe("compactorEffect", () => {
  it("E52: asks before every request, and sends what it saw when the answer is skip, without events", async () => {
    const seen: string[][] = [];
    const messages = [user("1", "a")];
    const turn = iteration(messages);
    const effect = compactorEffect(async (shown) => {
      seen.push(shown.map(textOf));
      return "skip";
    });
    await effect.before?.(turn.info);
    await effect.before?.(turn.info);
    assert.deepEqual(seen, [["a"], ["a"]]);
    assert.deepEqual([turn.list(), turn.events, turn.appended], [messages, [], []]);
  });

  it("E53: reports that it compacts before it reports that it has, and appends the summary as a checkpoint", async () => {
    const turn = iteration([user("1", "a"), assistant("2", "b"), user("3", "c")]);
    await compactorEffect(async () => ({ summary: "S", keepFrom: "3" })).before?.(turn.info);
    assert.deepEqual(types(turn), ["compaction_start", "compaction_end"]);
    const [checkpoint] = turn.appended;
    assert.ok(checkpoint?.role === "summary");
    assert.deepEqual([checkpoint.text, checkpoint.keepFrom], ["S", "3"]);
    assert.deepEqual(
      defaultConvertToLlm(turn.list()).map((message) => message.role),
      ["user", "user"],
    );
    assert.deepEqual(turn.list().map(textOf), ["S", "c"]);
  });

  it("E53: reports that it compacts while the summary is still being written", async () => {
    const turn = iteration([user("1", "a"), assistant("2", "b")], { answers: ["S"] });
    let toldBefore: string[] = [];
    const compactor = compactorEffect(async (_messages, info) => {
      const answer = await info.complete({ systemPrompt: "", messages: [], tools: [] });
      toldBefore = types(turn);
      return { summary: textOf(answer) };
    });
    await compactor.before?.(turn.info);
    assert.deepEqual(toldBefore, ["compaction_start"]);
    assert.deepEqual(types(turn), ["compaction_start", "compaction_end"]);
  });
});

describe("trimToolResultsEffect", () => {
  const results = (count: number) => Array.from({ length: count }, (_, index) => result(`${index}`, long));
  const lengths = (turn: FakeIteration) =>
    turn.list().map((message) => (textOf(message).length > 600 ? "whole" : "cut"));

  it("B55: acts after an answer, but not after the first one", async () => {
    const effect = trimToolResultsEffect({ preserveRecent: 0 });
    assert.equal(effect.before, undefined);
    const first = iteration(results(1), { phase: "after", iteration: 0 });
    await effect.after?.(first.info);
    assert.deepEqual(lengths(first), ["whole"]);
  });

  it("B55: keeps the last four tool messages whole and cuts the others to 500 characters and a marker", async () => {
    const turn = iteration([...results(6), user("u", "hi")], { phase: "after" });
    await trimToolResultsEffect().after?.(turn.info);
    assert.deepEqual(lengths(turn).slice(0, 6), ["cut", "cut", "whole", "whole", "whole", "whole"]);
    assert.match(textOf(turn.list()[0] ?? user("", "")), /^x{500}\s*\S+$/);
  });

  it("B55: cuts no errors, and all others when none is to be kept", async () => {
    const turn = iteration([result("e", long, { isError: true }), ...results(2)], { phase: "after" });
    await trimToolResultsEffect({ preserveRecent: 0 }).after?.(turn.info);
    assert.deepEqual(lengths(turn), ["whole", "cut", "cut"]);
  });

  it("B55: does not cut twice, even to a smaller size", async () => {
    const turn = iteration(results(1), { phase: "after" });
    await trimToolResultsEffect({ preserveRecent: 0 }).after?.(turn.info);
    const once = turn.list();
    await trimToolResultsEffect({ preserveRecent: 0, maxLength: 10 }).after?.(turn.info);
    assert.equal(turn.list(), once);
  });

  it("B56: cuts only the parts that are too long", async () => {
    const mixed = result("1", long);
    mixed.content.push({ type: "text", text: "short" }, { type: "image", mimeType: "image/png", data: long });
    const turn = iteration([mixed], { phase: "after" });
    await trimToolResultsEffect({ preserveRecent: 0 }).after?.(turn.info);
    const [cut] = turn.list();
    assert.ok(cut?.role === "toolResult");
    assert.deepEqual(cut.content.slice(1), mixed.content.slice(1));
    assert.notDeepEqual(cut.content[0], mixed.content[0]);
    assert.equal(textOf(mixed), `${long}short`);
  });
});
