import assert from "node:assert/strict";
import fc from "fast-check";
import { MemorySessionStore } from "../../../src/agent/index.ts";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { summaryRequestStart } from "../../../src/extension/prompts/agentPrompts.ts";
import { ofType, tool } from "../../support/agents.ts";
import { arrangedRuns, type RunsOptions } from "../../support/chatRuns.ts";
import { call, fail, hang, type RecordedRequest, type Reply, text } from "../../support/scriptedModel.ts";

/** So many tokens of context, as a provider would report them. */
const used = (input: number): Partial<Reply> => ({ usage: { input, output: 1 } });
/** Beside the conversation, which is then shown as a text. */
const isBeside = (request: RecordedRequest): boolean => request.systemPrompt.startsWith("You summarize");
const isInConversation = ({ messages }: RecordedRequest): boolean =>
  textOf(messages.at(-1) ?? fallback()).includes(summaryRequestStart);
const isSummary = (request: RecordedRequest): boolean => isBeside(request) || isInConversation(request);
const shownTo = (request: RecordedRequest | undefined): string => (request?.messages ?? []).map(textOf).join("\n");

/** Answers in turn; requests for a summary have answers of their own. */
function script(answers: readonly Reply[], summaries: readonly Reply[]) {
  const left = { answers: [...answers], summaries: [...summaries] };
  return (request: RecordedRequest): Reply => {
    const reply = isSummary(request) ? left.summaries.shift() : left.answers.shift();
    if (reply === undefined) throw new Error(`Not scripted: ${request.systemPrompt.slice(0, 40)}`);
    return reply;
  };
}

const look = tool("look", "x".repeat(400));
const withTools = (more: RunsOptions = {}): RunsOptions => ({
  ...more,
  main: { systemPrompt: "You are main.", tools: [look], ...more.main },
});

describe("the compaction of an agent's context", () => {
  it("comes before the request that would show four fifths of the window, and goes on from the summary", async () => {
    const { agent, requests, events, host } = arrangedRuns(
      script([text("one", used(810)), text("two", used(100))], [text("SUMMARY")]),
      withTools(),
    );
    await agent.prompt("first");
    await agent.prompt("second");
    assert.deepEqual(requests.map(isSummary), [false, true, false]);
    assert.match(shownTo(requests[2]), /SUMMARY[\s\S]*second/);
    assert.ok(shownTo(requests[1]).includes("first") && !shownTo(requests[1]).includes("second"));
    assert.equal(ofType(events, "compaction_end").length, 1);
    const [id] = Object.keys(host().runs.compactions);
    assert.ok(agent.messages.some((message) => message.id === id && message.role === "summary"));
    assert.deepEqual(host().runs.compacting, []);
    assert.equal(agent.messages.filter((message) => message.role === "user").length, 2, "nothing is removed");
  });

  it("is left to the user where the threshold is 0 or the window unknown", async () => {
    const off = arrangedRuns(
      script([text("one", used(990)), text("two")], []),
      withTools({ compactionThreshold: () => 0 }),
    );
    await off.agent.prompt("first");
    await off.agent.prompt("second");
    const { contextWindow: _, ...unsized } = off.agent.state.model;
    const unknown = arrangedRuns(
      script([text("one", used(990_000)), text("two")], []),
      withTools({ main: { model: unsized } }),
    );
    await unknown.agent.prompt("first");
    await unknown.agent.prompt("second");
    assert.ok(![...off.requests, ...unknown.requests].some(isSummary));
  });

  it("does not summarize twice without new content, though the context stays full", async () => {
    const { agent, requests } = arrangedRuns(
      script(
        [text("one", used(900)), text("two", used(900)), text("three", used(900)), text("four", used(900))],
        [text("SUMMARY"), text("never asked for")],
      ),
      withTools(),
    );
    for (const words of ["a", "b", "c", "d"]) await agent.prompt(words);
    assert.equal(requests.filter(isSummary).length, 1);
  });

  it("is undone by a rewind to before it, and what was measured then counts no more", async () => {
    const { agent, requests } = arrangedRuns(
      script(
        [text("one", used(300)), text("two", used(900)), text("three", used(200)), text("four", used(320))],
        [text("SUMMARY")],
      ),
      withTools({ main: { session: new MemorySessionStore() } }),
    );
    for (const words of ["first", "second", "third"]) await agent.prompt(words);
    assert.ok(shownTo(requests.at(-1)).includes("SUMMARY"));
    const second = agent.messages.find((message) => textOf(message) === "second");
    await agent.rewindTo(second?.id ?? "");
    await agent.prompt("second again");
    assert.equal(requests.filter(isSummary).length, 1);
    assert.match(shownTo(requests.at(-1)), /first\none\nsecond again/);
    assert.ok(!shownTo(requests.at(-1)).includes("SUMMARY"));
  });

  it("ends a summary with what code knows of the agent", async () => {
    const { agent, requests, runs, log } = arrangedRuns(
      script([text("one", used(900)), text("two", used(100))], [text("SUMMARY")]),
      withTools({ filesSeenBy: () => [{ path: "src/a.ts", version: "v7" }] }),
    );
    log.appendHost({ type: "plan_changed", agentId: agent.id, items: [{ text: "Ship it", status: "pending" }] });
    await agent.prompt("Never touch b.ts");
    await agent.prompt("go on");
    assert.ok(runs);
    assert.match(shownTo(requests[2]), /- \[ \] Ship it[\s\S]*- src\/a\.ts \(v7\)[\s\S]*Never touch b\.ts/);
  });

  it("keeps an earlier summary, without the facts of its time", async () => {
    const { agent, requests } = arrangedRuns(
      script(
        [text("one", used(900)), text("x".repeat(300), used(900)), text("three", used(100))],
        [text("EARLIER"), text("LATER")],
      ),
      withTools({ filesSeenBy: () => [{ path: "src/a.ts", version: "v7" }] }),
    );
    for (const words of ["first", "second", "third"]) await agent.prompt(words);
    const shown = shownTo(requests.at(-1));
    assert.match(shown, /EARLIER\n\nLATER/);
    assert.equal(shown.split("src/a.ts").length, 2, "the files are named once");
  });

  it("makes room once when the provider finds the context too long, and asks again", async () => {
    const tooLong = fail("prompt is too long", { errorKind: "context" });
    const { agent, requests } = arrangedRuns(
      script([text("one"), tooLong, text("two")], [text("SUMMARY")]),
      withTools(),
    );
    await agent.prompt("first");
    assert.equal(textOf(await agent.run("second")), "two");
    assert.deepEqual(requests.map(isSummary), [false, false, true, false]);
    assert.equal(textOf(requests[3]?.messages.at(-1) ?? fallback()), "second");
  });

  it("gives up when the context is too long after that, too", async () => {
    const tooLong = fail("prompt is too long", { errorKind: "context" });
    const { agent, requests } = arrangedRuns(
      script([text("one"), tooLong, tooLong], [text("SUMMARY")]),
      withTools({ model: { contextWindow: 0 } }),
    );
    await agent.prompt("first");
    await assert.rejects(agent.prompt("second"), /too long/);
    assert.equal(requests.length, 4);
  });

  it("lets the context go out as it is when the summary fails, and says so", async () => {
    const { agent, host } = arrangedRuns(
      script([text("one", used(900)), text("two", used(900))], [fail("no credit")]),
      withTools(),
    );
    await agent.prompt("first");
    assert.equal(textOf(await agent.run("second")), "two");
    assert.match(host().notices[0]?.text ?? "", /could not be summarized: no credit/);
    assert.deepEqual(host().runs.compacting, []);
  });

  it("stops with the run, in the middle of a summary", async () => {
    const { agent, seen, host } = arrangedRuns(script([text("one", used(900))], [hang()]), withTools());
    await agent.prompt("first");
    const started = seen("compaction_started");
    const run = agent.send("second").result;
    await started;
    assert.deepEqual(host().runs.compacting, [agent.id]);
    await agent.abort();
    assert.equal((await run).reason, "aborted");
    assert.deepEqual(host().runs.compacting, []);
  });

  it("holds for sub-agents, each in its own window", async () => {
    const { agent, requests, events } = arrangedRuns(
      (request) => {
        if (isSummary(request)) return text("SUMMARY");
        const asked = requests.filter(
          ({ model, systemPrompt }) => model.id === request.model.id && systemPrompt !== "",
        );
        const turn = asked.filter((known) => !isSummary(known)).length;
        if (request.model.id === "main") {
          return turn === 1 ? call("delegate_to_agent", { agent: "worker", task: "t", context: "" }) : text("end");
        }
        return turn < 3 ? { ...call("nothing"), ...used(turn === 2 ? 900 : 100) } : text("worked");
      },
      { agents: ["worker"] },
    );
    await agent.prompt("go");
    const [compacted] = ofType(events, "compaction_end").filter(({ kind }) => kind === "summary");
    assert.equal(compacted?.agent.name, "worker");
    assert.equal(requests.filter(isSummary).length, 1);
    assert.ok(!agent.messages.some(({ role }) => role === "summary"));
  });

  it("converges in any run: at most one summary for each tenth of the window that is new", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 12 }), async (sizes) => {
        const answers = [...sizes.map((size) => call("look", {}) && { ...call("look"), ...used(size) }), text("end")];
        const { agent, requests } = arrangedRuns(
          script(
            answers,
            answers.map(() => text("S")),
          ),
          withTools(),
        );
        await agent.prompt("go");
        const summaries = requests.filter(isSummary).length;
        assert.ok(summaries <= sizes.length);
        for (const request of requests) assertAnswered(request);
        assert.equal(agent.messages.filter((message) => message.role === "toolResult").length, sizes.length);
      }),
      { numRuns: 60 },
    );
  });
});

describe("the request for a summary", () => {
  const large: RunsOptions = withTools({ model: { contextWindow: 10_000 } });
  /** A turn that reads, an answer at so many tokens, and a second prompt. */
  async function twoPrompts(
    summaries: readonly Reply[],
    { size = 8_100, ...options }: RunsOptions & { size?: number } = {},
  ) {
    const answers = [call("look"), text("one", used(size)), text("two", used(100))];
    const arranged = arrangedRuns(script(answers, summaries), { ...large, ...options });
    await arranged.agent.prompt("first");
    await arranged.agent.prompt("second");
    return arranged;
  }

  it("is the conversation as it was sent, with the answer and one more message", async () => {
    const { requests } = await twoPrompts([text("SUMMARY")]);
    const [, before, asked, after] = requests;
    assert.deepEqual(requests.map(isInConversation), [false, false, true, false]);
    assert.equal(asked?.systemPrompt, before?.systemPrompt);
    assert.deepEqual(asked?.tools, before?.tools);
    assert.ok(before !== undefined && asked !== undefined);
    assert.deepEqual(asked.messages.slice(0, before.messages.length), before.messages);
    assert.deepEqual(
      asked.messages.slice(before.messages.length).map(({ role }) => role),
      ["assistant", "user"],
    );
    assert.ok(!shownTo(asked).includes("second"), "what nothing has answered is kept");
    assert.match(shownTo(after), /SUMMARY[\s\S]*second$/);
  });

  it("shows results whole that are cut for want of room", async () => {
    const sizes = [240, 240, 240, 240, 240, 14_000];
    let looks = 0;
    const { agent, requests, events } = arrangedRuns(
      script([...sizes.map(() => call("look")), text("end")], [text("SUMMARY")]),
      {
        ...large,
        main: { tools: [tool("look", () => "x".repeat(sizes[looks++] ?? 0))] },
        model: { contextWindow: 20_000 },
      },
    );
    await agent.prompt("y".repeat(52_000));
    const at = requests.findIndex(isSummary);
    const [before, asked] = [requests[at - 1], requests[at]];
    assert.ok(before !== undefined && asked !== undefined && isInConversation(asked));
    assert.deepEqual(asked.messages.slice(0, before.messages.length), before.messages);
    assert.ok(!shownTo(asked).includes("[trimmed]"));
    assert.deepEqual(
      ofType(events, "compaction_end").map(({ kind }) => kind),
      ["trim", "summary"],
    );
  });

  it("names the earlier summary that stays", async () => {
    const long = "x".repeat(4_000);
    const { agent, requests } = arrangedRuns(
      script(
        [text(long, used(8_100)), text(long, used(8_100)), text("three", used(100))],
        [text("EARLIER"), text("LATER")],
      ),
      large,
    );
    for (const words of ["first", "second", "third"]) await agent.prompt(words);
    const [one, other] = requests
      .filter(isInConversation)
      .map((request) => textOf(request.messages.at(-1) ?? fallback()));
    assert.ok(one !== undefined && !one.includes("summary at the beginning"));
    assert.match(other ?? "", /summary at the beginning stays as it is/);
    assert.match(shownTo(requests.at(-1)), /EARLIER\n\nLATER/);
  });

  it("says from where on the conversation is kept word for word", async () => {
    const { agent, requests } = arrangedRuns(
      script([text("x".repeat(8_000), used(4_000)), text("KEPT", used(8_100)), text("three")], [text("SUMMARY")]),
      large,
    );
    for (const words of ["first", "the second", "third"]) await agent.prompt(words);
    const asked = requests.find(isInConversation);
    assert.match(textOf(asked?.messages.at(-1) ?? fallback()), /what came before it\.\n"the second"\n/);
    assert.match(shownTo(requests.at(-1)), /SUMMARY[\s\S]*the second\nKEPT\nthird$/);
  });

  it("shows the conversation as a text where it does not fit the window any more", async () => {
    const { requests } = await twoPrompts([text("SUMMARY")], { size: 9_000 });
    assert.deepEqual(requests.map(isBeside), [false, false, true, false]);
    assert.match(shownTo(requests[3]), /SUMMARY/);
  });

  it("does so, too, where the provider finds it too long, and where the model calls a tool instead", async () => {
    const tooLong = fail("prompt is too long", { errorKind: "context" });
    for (const instead of [tooLong, { ...call("look"), text: "I look first." }]) {
      const { requests, agent, host } = await twoPrompts([instead, text("SUMMARY")]);
      assert.deepEqual(requests.map(isInConversation), [false, false, true, false, false]);
      assert.deepEqual(requests.map(isBeside), [false, false, false, true, false]);
      assert.match(shownTo(requests.at(-1)), /SUMMARY/);
      assert.equal(agent.messages.filter(({ role }) => role === "toolResult").length, 1, "no tool runs");
      assert.deepEqual(host().notices, []);
    }
  });

  it("is not made a second time when it fails otherwise", async () => {
    const { requests, host } = await twoPrompts([fail("no credit")]);
    assert.equal(requests.filter(isSummary).length, 1);
    assert.match(host().notices[0]?.text ?? "", /no credit/);
  });
});

describe("a summary that is prepared", () => {
  /** A run of tool calls that reaches seven tenths of the window, then eight. */
  const growing = [call("look"), call("look"), call("look"), text("end")].map((reply, index) => ({
    ...reply,
    ...used([650, 750, 850, 100][index] ?? 0),
  }));

  it("is written while the run goes on, and used as soon as it is due", async () => {
    const { agent, requests } = arrangedRuns(script(growing, [text("AHEAD"), text("LATE")]), withTools());
    await agent.prompt("go");
    assert.equal(requests.filter(isSummary).length, 1);
    assert.match(shownTo(requests.at(-1)), /AHEAD/);
    for (const request of requests) assertAnswered(request);
  });

  it("is asked for again when it failed", async () => {
    const { agent, requests } = arrangedRuns(script(growing, [fail("busy"), text("LATE")]), withTools());
    await agent.prompt("go");
    assert.match(shownTo(requests.at(-1)), /LATE/);
  });

  it("is given up with its run, so that nothing is reported after its end", async () => {
    const { agent, events, requests } = arrangedRuns(
      script([{ ...call("look"), ...used(750) }, text("end", used(760))], [hang()]),
      withTools(),
    );
    await agent.prompt("go");
    assert.equal(requests.filter(isSummary).length, 1);
    assert.equal(events.at(-1)?.type, "agent_end");
  });

  it("is thrown away when a rewind made the transcript another one", async () => {
    const { agent, requests } = arrangedRuns(
      script(
        [text("zero", used(10)), ...growing.slice(0, 2), text("end", used(760)), text("again", used(900)), text("x")],
        [text("AHEAD"), text("FRESH")],
      ),
      withTools({ main: { session: new MemorySessionStore() } }),
    );
    await agent.prompt("zero");
    await agent.prompt("go");
    const go = agent.messages.find((message) => textOf(message) === "go");
    await agent.rewindTo(go?.id ?? "");
    await agent.prompt("another way");
    await agent.prompt("and on");
    assert.match(shownTo(requests.at(-1)), /FRESH/);
    assert.ok(!shownTo(requests.at(-1)).includes("AHEAD"));
  });
});

describe("compaction by command", () => {
  it("happens at once when the agent is idle, in a run that asks for no answer", async () => {
    const { agent, runs, requests, events, host } = arrangedRuns(
      script([text("x".repeat(400)), text("one", used(300)), text("two")], [text("SUMMARY")]),
      withTools(),
    );
    await agent.prompt("zero");
    await agent.prompt("first");
    await runs.compact();
    assert.deepEqual(requests.map(isSummary), [false, false, true]);
    assert.equal(events.at(-1)?.type, "agent_end");
    const context = host().contexts[agent.id];
    assert.ok(context?.isAhead === true && context.messages > 0);
    const [result] = Object.values(host().runs.compactions);
    assert.ok(result !== undefined && result.after < result.before);
    await agent.prompt("second");
    assert.deepEqual(requests.map(isSummary), [false, false, true, false]);
    assert.match(shownTo(requests[3]), /SUMMARY[\s\S]*second/);
  });

  it("waits for the next request while the agent runs", async () => {
    const gate = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const wait = tool("wait", () => {
      begun.resolve();
      return gate.promise;
    });
    const { agent, runs, requests, seen } = arrangedRuns(
      script([call("wait"), text("end")], [text("SUMMARY")]),
      withTools({ main: { tools: [wait] } }),
    );
    const run = agent.prompt("go");
    await begun.promise;
    await runs.compact(agent.id);
    const ended = seen("compaction_ended");
    gate.resolve("x".repeat(2_000));
    await Promise.all([run, ended]);
    assert.deepEqual(requests.map(isSummary), [false, true, false]);
  });

  it("makes room for a request that the provider found too long, which is then made again", async () => {
    const { agent, runs, requests } = arrangedRuns(
      script([text("one"), fail("prompt is too long", { errorKind: "context" }), text("two")], [text("SUMMARY")]),
      withTools({ compactionThreshold: () => 0 }),
    );
    await agent.prompt("first");
    await assert.rejects(agent.prompt("second"), /too long/);
    await runs.compact();
    assert.equal((await agent.continue()).reason, "done");
    assert.deepEqual(requests.map(isSummary), [false, false, true, false]);
    assert.match(shownTo(requests[3]), /SUMMARY[\s\S]*second$/);
  });

  it("sends what is said meanwhile when it is done", async () => {
    const until = Promise.withResolvers<void>();
    const { agent, runs, seen } = arrangedRuns(
      script([text("one", used(300)), text("two")], [{ text: "SUMMARY", until: until.promise }]),
      withTools(),
    );
    await agent.prompt("first");
    const started = seen("compaction_started");
    const compacted = runs.compact();
    await started;
    const second = agent.prompt("second", { whenBusy: "followUp" });
    until.resolve();
    await compacted;
    assert.equal(textOf((await second).finalMessage ?? agent.messages[0] ?? fallback()), "two");
  });

  it("says when there is nothing to summarize", async () => {
    const { runs, host, agent } = arrangedRuns(script([text("one")], [text("SUMMARY")]), withTools());
    await runs.compact();
    assert.match(host().notices[0]?.text ?? "", /nothing new to summarize/);
    await agent.prompt("first");
    await runs.compact();
    await runs.compact();
    assert.equal(host().notices.length, 1);
  });
});

function fallback(): never {
  throw new Error("The run left no message.");
}

/** What the model is shown holds no result without its call, and no call without its result. */
function assertAnswered(request: RecordedRequest): void {
  const calls: string[] = [];
  const results: string[] = [];
  for (const message of request.messages) {
    if (message.role === "assistant")
      calls.push(...message.content.flatMap((p) => (p.type === "toolCall" ? [p.id] : [])));
    if (message.role === "toolResult") results.push(message.callId);
  }
  assert.deepEqual(results, calls);
}
