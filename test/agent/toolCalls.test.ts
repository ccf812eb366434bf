import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import * as z from "zod";
import { FatalToolError } from "../../src/agent/errors.ts";
import type { ToolContext } from "../../src/agent/tools.ts";
import { aborted, collect, gate, ofType, recordedAgent, results, seenType, story, tool } from "../support/agents.ts";
import { call, calls, text } from "../support/scriptedModel.ts";

const two = calls({ name: "a", id: "1" }, { name: "b", id: "2" });

describe("one tool call", () => {
  for (const id of ["A18", "B6", "C23", "E13"]) {
    it(`${id}: an unknown tool gets an error result that names it and those there are, and the run goes on`, async () => {
      const { agent, events } = recordedAgent([call("nope"), text("ok")], { tools: [tool("look")] });
      const run = await agent.prompt("hi");
      assert.equal(run.reason, "done");
      assert.deepEqual(results(agent.messages), ['Unknown tool "nope". Available: look']);
      const end = ofType(events, "tool_execution_end")[0];
      assert.equal(end?.isError, true);
      assert.equal(end?.durationMs, 0);
    });
  }

  it("A20: id and name of a result are those of its call", async () => {
    const { agent } = recordedAgent([call("look", {}, "c7"), text("ok")], { tools: [tool("look")] });
    await agent.prompt("hi");
    const result = agent.messages.find((message) => message.role === "toolResult");
    assert.equal(result?.role === "toolResult" && `${result.callId} ${result.toolName}`, "c7 look");
  });

  for (const id of ["B7", "C21", "E14", "D22"]) {
    it(`${id}: what a tool throws is its error result, and the run goes on`, async () => {
      const broken = tool("look", () => Promise.reject(new Error("disk on fire")));
      const { agent } = recordedAgent([call("look"), text("ok")], { tools: [broken] });
      assert.equal((await agent.prompt("hi")).reason, "done");
      assert.deepEqual(results(agent.messages), ["disk on fire"]);
      assert.equal(agent.status, "idle");
    });
  }

  it("D22: a fatal tool error ends the run once the others of the batch are answered", async () => {
    const fatal = tool("a", () => {
      throw new FatalToolError("cannot go on");
    });
    const { agent, requests } = recordedAgent([two, text("never")], { tools: [fatal, tool("b", "fine")] });
    const { result } = await collect(agent.send("hi"));
    assert.equal(result.error?.code, "fatal_tool");
    assert.deepEqual(results(agent.messages), ["cannot go on", "fine"]);
    assert.equal(requests.length, 1);
  });

  it("B8: a tool knows the name of the agent that runs it", async () => {
    const { agent } = recordedAgent([call("who"), text("ok")], {
      name: "scout",
      tools: [tool("who", (_args, context) => context.agent.name ?? "")],
    });
    await agent.prompt("hi");
    assert.deepEqual(results(agent.messages), ["scout"]);
  });

  for (const id of ["C22", "E15"]) {
    it(`${id}: arguments against the schema get an error result that names the field and what is allowed`, async () => {
      const executed: unknown[] = [];
      const asked: unknown[] = [];
      const look = {
        ...tool("look", (args) => String(executed.push(args))),
        schema: z.object({ mode: z.enum(["fast", "slow"]) }),
      };
      const { agent } = recordedAgent([call("look", { mode: "odd" }), text("ok")], {
        tools: [look],
        hooks: { beforeToolCall: (info) => void asked.push(info) },
      });
      await agent.prompt("hi");
      const [result = ""] = results(agent.messages);
      assert.match(result, /mode/);
      assert.match(result, /"fast"\|"slow"/);
      assert.deepEqual([executed, asked], [[], []]);
    });
  }

  it("C24: prepareArguments sees the raw arguments, and what it returns is validated and executed", async () => {
    const look = {
      ...tool("look", (args) => `got ${args.path}`),
      schema: z.object({ path: z.string() }),
      prepareArguments: (raw: unknown) => ({ path: `${raw}.ts` }),
    };
    const { agent, events } = recordedAgent([call("look", "main"), text("ok")], { tools: [look] });
    await agent.prompt("hi");
    assert.deepEqual(results(agent.messages), ["got main.ts"]);
    assert.equal(ofType(events, "tool_execution_start")[0]?.args, "main");
  });

  it("C25: a blocked call is not executed; the reason is its error result", async () => {
    const seenArguments: unknown[] = [];
    const { agent } = recordedAgent([calls({ name: "look", args: { path: "x" } }, { name: "look" }), text("ok")], {
      tools: [{ ...tool("look", "executed"), schema: z.object({ path: z.string().default("all") }) }],
      hooks: {
        beforeToolCall(info) {
          seenArguments.push(info.args, info.assistant.content.length);
          return seenArguments.length === 2 ? { block: true, reason: "not here" } : { block: true };
        },
      },
    });
    await agent.prompt("hi");
    assert.deepEqual(results(agent.messages), ["not here", 'The call of "look" was blocked.']);
    assert.deepEqual(seenArguments, [{ path: "x" }, 2, { path: "all" }, 2]);
  });

  it("C26: each field that afterToolCall returns replaces that part, the others stay; errors are shown to it too", async () => {
    const asked: string[] = [];
    const { agent, events } = recordedAgent([calls({ name: "good" }, { name: "bad" }, { name: "nope" }), text("ok")], {
      tools: [
        tool("good", { content: "raw", details: { n: 1 } }),
        tool("bad", () => {
          throw new Error("broke");
        }),
      ],
      hooks: {
        afterToolCall(info) {
          asked.push(`${info.call.name} ${info.isError}`);
          return info.isError ? { isError: false } : { content: "clean" };
        },
      },
    });
    await agent.prompt("hi");
    assert.deepEqual(asked.sort(), ["bad true", "good false"]);
    const ends = ofType(events, "tool_execution_end").sort((a, b) => (a.toolName < b.toolName ? -1 : 1));
    assert.deepEqual(
      ends.map((end) => [end.toolName, end.result.content, end.isError]),
      [
        ["bad", "broke", false],
        ["good", "clean", false],
        ["nope", 'Unknown tool "nope". Available: good, bad', true],
      ],
    );
    assert.deepEqual(ends[1]?.result.details, { n: 1 });
  });

  it("C26: afterToolCall is not asked about a call that an abort ended", async () => {
    let asked = 0;
    const { agent } = recordedAgent([call("look")], {
      hooks: { afterToolCall: () => void asked++ },
      tools: [
        tool("look", () => {
          void agent.abort();
          return "ok";
        }),
      ],
    });
    await assert.rejects(agent.prompt("hi"), { code: "aborted" });
    assert.equal(asked, 0);
  });

  it("C26: afterToolCall can make a result terminate the run", async () => {
    const { agent, requests } = recordedAgent([call("look")], {
      tools: [tool("look")],
      hooks: { afterToolCall: () => ({ terminate: true }) },
    });
    assert.equal((await agent.prompt("hi")).reason, "done");
    assert.equal(requests.length, 1);
  });

  it("C31: updates come between start and end of their call; one after the tool settled is dropped", async () => {
    const kept: { context?: ToolContext } = {};
    const { agent, events } = recordedAgent([call("look"), text("ok")], {
      tools: [
        tool("look", (_args, context) => {
          kept.context = context;
          context.update({ content: "half" });
          context.output("line\n");
          return "whole";
        }),
      ],
    });
    await agent.prompt("hi");
    const settled = events.length;
    kept.context?.update({ content: "late" });
    kept.context?.output("late");
    kept.context?.reportUsage({ input: 5 });
    assert.equal(events.length, settled);
    assert.equal(agent.usage.input, 0);
    assert.deepEqual(
      story(events).filter((entry) => entry.includes("tool_execution")),
      [
        "main tool_execution_start look",
        "main tool_execution_update look",
        "main tool_execution_update look",
        "main tool_execution_end look",
      ],
    );
    const [partial, output] = ofType(events, "tool_execution_update");
    assert.deepEqual(partial?.partial, { content: "half" });
    assert.equal(output?.output, "line\n");
  });

  for (const [how, reply, tools] of [
    ["works", call("look"), [tool("look")]],
    ["throws", call("look"), [tool("look", () => Promise.reject(new Error("x")))]],
    ["is unknown", call("nope"), []],
  ] as const) {
    it(`C32: a call of a tool that ${how} has exactly one end`, async () => {
      const { agent, events } = recordedAgent([reply, text("ok")], { tools: [...tools] });
      await agent.prompt("hi");
      assert.equal(ofType(events, "tool_execution_end").length, 1);
    });
  }

  it("C35: calls in a message cut by the output limit are not executed; each is told to be issued again", async () => {
    let executed = 0;
    const cut = { ...two, stopReason: "length" as const };
    const count = () => String(++executed);
    const { agent } = recordedAgent([cut, text("ok")], { tools: [tool("a", count), tool("b", count)] });
    assert.equal((await agent.prompt("hi")).reason, "done");
    assert.equal(executed, 0);
    assert.equal(results(agent.messages).filter((result) => /Issue it again/.test(result)).length, 2);
  });

  it("E16: output over 2,000 lines or 50,000 bytes is cut and marked, shorter output is unchanged", async () => {
    const lines = Array.from({ length: 2_500 }, (_line, index) => `line ${index}`).join("\n");
    const { agent } = recordedAgent([calls({ name: "lines" }, { name: "bytes" }, { name: "short" }), text("ok")], {
      tools: [tool("lines", lines), tool("bytes", "é".repeat(40_000)), tool("short", "a\nb\n")],
    });
    await agent.prompt("hi");
    const [ofLines = "", ofBytes = "", short] = results(agent.messages);
    assert.equal(ofLines.split("\n").length, 2_001);
    assert.match(ofLines, /line 1999\n\[Output cut/);
    assert.equal(ofBytes.slice(0, 25_000), "é".repeat(25_000));
    assert.match(ofBytes.slice(25_000), /^\n\[Output cut/);
    assert.equal(short, "a\nb\n");
  });

  it("E16: output that is not text is replaced by a note, and errors are never cut", async () => {
    const long = "x".repeat(60_000);
    const { agent } = recordedAgent([calls({ name: "binary" }, { name: "error" }), text("ok")], {
      tools: [tool("binary", "\0\u0001\u0002"), tool("error", { content: long, isError: true })],
    });
    await agent.prompt("hi");
    assert.deepEqual(results(agent.messages), ["[Output is not text: 3 characters were left out.]", long]);
  });

  it("A call id that is missing or repeated within a message becomes unique, so that each call has its result", async () => {
    const { agent, events } = recordedAgent(
      [calls({ name: "a", id: "x" }, { name: "a", id: "x" }, { name: "a", id: "" }), text("ok")],
      { tools: [tool("a")] },
    );
    await agent.prompt("hi");
    assert.equal(new Set(ofType(events, "tool_execution_end").map((end) => end.callId)).size, 3);
    assert.equal(results(agent.messages).length, 3);
  });

  it("A tool named like a property of every object is unknown like any other", async () => {
    const { agent } = recordedAgent([call("__proto__"), text("ok")]);
    await agent.prompt("hi");
    assert.deepEqual(results(agent.messages), ['Unknown tool "__proto__". Available: none']);
  });
});

describe("a batch of tool calls", () => {
  it("A19: each call gets one result; they enter the transcript together, after the last, in call order", async () => {
    const slow = gate();
    const { agent, events } = recordedAgent([two, text("ok")], {
      tools: [
        tool("a", async () => {
          await slow.opened;
          return "first";
        }),
        tool("b", "second"),
      ],
    });
    const run = agent.prompt("hi");
    await seenType(agent, "tool_execution_end");
    assert.deepEqual(results(agent.messages), []);
    slow.open();
    await run;
    assert.deepEqual(results(agent.messages), ["first", "second"]);
    assert.deepEqual(
      ofType(events, "tool_execution_end").map((end) => end.callId),
      ["2", "1"],
    );
  });

  it("A21: after an abort between two calls the rest is not run, and still answered", async () => {
    let executed = 0;
    const { agent } = recordedAgent([two], {
      toolExecution: "sequential",
      tools: [
        tool("a", (_args, context) => {
          void agent.abort();
          return aborted(context.signal).then(() => "stopped");
        }),
        tool("b", () => String(++executed)),
      ],
    });
    await assert.rejects(agent.prompt("hi"), { code: "aborted" });
    assert.equal(executed, 0);
    assert.deepEqual(results(agent.messages), ["stopped", "The call was aborted before it ran."]);
  });

  it("C15: in an aborted sequential batch, calls that never ran have start, end and an error result", async () => {
    const { agent, events } = recordedAgent([two], {
      toolExecution: "sequential",
      tools: [
        tool("a", () => {
          void agent.abort();
          return "done";
        }),
        tool("b"),
      ],
    });
    await assert.rejects(agent.prompt("hi"));
    assert.deepEqual(
      story(events).filter((entry) => entry.includes("tool_execution")),
      [
        "main tool_execution_start a",
        "main tool_execution_end a",
        "main tool_execution_start b",
        "main tool_execution_end b",
      ],
    );
    assert.equal(ofType(events, "tool_execution_end")[1]?.isError, true);
  });

  it("C15: after an abort no before-hook is asked about the calls that are left", async () => {
    const asked: string[] = [];
    const { agent } = recordedAgent([two], {
      toolExecution: "sequential",
      hooks: { beforeToolCall: (info) => void asked.push(info.call.name) },
      tools: [
        tool("a", () => {
          void agent.abort();
          return "done";
        }),
        tool("b"),
      ],
    });
    await assert.rejects(agent.prompt("hi"), { code: "aborted" });
    assert.deepEqual(asked, ["a"]);
  });

  for (const id of ["C16", "E18"]) {
    it(`${id}: an abort reaches running tools, and every call gets a result`, async () => {
      const { agent, events } = recordedAgent([two], {
        tools: [
          tool("a", (_args, context) => aborted(context.signal).then(() => "a stopped")),
          tool("b", (_args, context) => aborted(context.signal).then(() => Promise.reject(context.signal.reason))),
        ],
      });
      const run = agent.prompt("hi");
      const second = seenType(agent, "tool_execution_start").then(() => agent.abort("user"));
      await assert.rejects(run, { code: "aborted" });
      await second;
      assert.equal(agent.status, "idle");
      const [first = "", other = ""] = results(agent.messages);
      assert.match(first, /a stopped|aborted/);
      assert.match(other, /aborted/);
      assert.equal(ofType(events, "agent_end")[0]?.reason, "aborted");
    });
  }

  it("C17: after an abort during tools no further request is made", async () => {
    const { agent, requests } = recordedAgent([call("a"), text("never")], {
      tools: [
        tool("a", () => {
          void agent.abort();
          return "ok";
        }),
      ],
    });
    const { result } = await collect(agent.send("hi"));
    assert.equal(result.reason, "aborted");
    assert.equal(requests.length, 1);
  });

  it("C17: an abort during the batch outweighs a call that completes the task", async () => {
    const { agent } = recordedAgent([call("finish")], {
      tools: [
        tool("finish", () => {
          void agent.abort();
          return { content: "x", control: { type: "complete", value: "x" } };
        }),
      ],
    });
    assert.equal((await agent.send("hi").result).reason, "aborted");
  });

  it("A run leaves no listener on its signals", async () => {
    const own = new AbortController();
    const signals: AbortSignal[] = [own.signal];
    const { agent, requests } = recordedAgent([two, text("ok")], {
      tools: [tool("a", (_args, context) => String(signals.push(context.signal))), tool("b")],
    });
    await agent.prompt("hi", { signal: own.signal });
    for (const request of requests) if (request.options.signal !== undefined) signals.push(request.options.signal);
    assert.equal(signals.length, 4);
    assert.deepEqual(
      signals.map((signal) => getEventListeners(signal, "abort").length),
      [0, 0, 0, 0],
    );
  });

  it("C20: a tool that ignores the abort is left after the grace period, and its late result is dropped", async () => {
    const late = gate<string>();
    const running = gate();
    const deaf = tool("a", () => {
      running.open();
      return late.opened;
    });
    const { agent, events } = recordedAgent([call("a")], { abortGraceMs: 1, tools: [deaf] });
    const run = agent.prompt("hi");
    await running.opened;
    await agent.abort();
    await assert.rejects(run, { code: "aborted" });
    const told = events.length;
    late.open("too late");
    await late.opened;
    assert.deepEqual(results(agent.messages), ["The call was aborted."]);
    assert.equal(events.length, told);
  });

  it("A tool that outruns its time gets an error result, and its signal is aborted", async () => {
    const signals: AbortSignal[] = [];
    const { agent } = recordedAgent([call("a"), text("ok")], {
      toolTimeoutMs: 1,
      tools: [
        tool("a", (_args, context) => {
          signals.push(context.signal);
          return new Promise<string>(() => {});
        }),
      ],
    });
    assert.equal((await agent.prompt("hi")).reason, "done");
    assert.deepEqual(results(agent.messages), ["The call timed out after 1 ms."]);
    assert.equal(signals[0]?.aborted, true);
  });

  it("C27: hooks never overlap, and before-hooks run in call order", async () => {
    let open = 0;
    let most = 0;
    const order: string[] = [];
    const hook = async (name: string) => {
      open += 1;
      most = Math.max(most, open);
      await Promise.resolve();
      order.push(name);
      open -= 1;
    };
    const { agent } = recordedAgent([calls({ name: "a" }, { name: "b" }, { name: "c" }), text("ok")], {
      tools: [tool("a"), tool("b"), tool("c")],
      hooks: {
        beforeToolCall: ({ call: { name } }) => hook(`before ${name}`),
        afterToolCall: ({ call: { name } }) => hook(`after ${name}`),
      },
    });
    await agent.prompt("hi");
    assert.equal(most, 1);
    assert.deepEqual(
      order.filter((entry) => entry.startsWith("before")),
      ["before a", "before b", "before c"],
    );
    assert.equal(order.length, 6);
  });

  for (const id of ["C28", "E12"]) {
    it(`${id}: executions overlap and end as they finish; results and turn_end keep the call order`, async () => {
      const other = gate();
      const { agent, events } = recordedAgent([two, text("ok")], {
        tools: [
          tool("a", () => other.opened.then(() => "a")),
          tool("b", () => {
            other.open();
            return "b";
          }),
        ],
      });
      await agent.prompt("hi");
      assert.deepEqual(results(agent.messages), ["a", "b"]);
      assert.deepEqual(
        ofType(events, "turn_end")[0]?.toolResults.map((result) => result.callId),
        ["1", "2"],
      );
    });
  }

  for (const [how, options] of [
    ["the loop is sequential", { toolExecution: "sequential" as const, mode: {} }],
    ["one tool of the batch is sequential", { mode: { executionMode: "sequential" as const } }],
  ] as const) {
    it(`C29: nothing overlaps when ${how}`, async () => {
      let open = 0;
      let most = 0;
      const watch = async () => {
        open += 1;
        most = Math.max(most, open);
        await new Promise(setImmediate);
        open -= 1;
        return "ok";
      };
      const { mode, ...rest } = options;
      const { agent } = recordedAgent([two, text("ok")], {
        ...rest,
        tools: [tool("a", watch), tool("b", watch, mode)],
      });
      await agent.prompt("hi");
      assert.equal(most, 1);
    });
  }

  it("C30: in a parallel batch all starts come before the first execution, in call order", async () => {
    const order: string[] = [];
    const { agent } = recordedAgent([two, text("ok")], {
      tools: [tool("a", () => `${order.push("execute")}`), tool("b", () => `${order.push("execute")}`)],
    });
    agent.subscribe((event) => {
      if (event.type === "tool_execution_start") order.push(event.toolName);
    });
    await agent.prompt("hi");
    assert.deepEqual(order, ["a", "b", "execute", "execute"]);
  });

  it("C33: the model is not asked again when every result terminates", async () => {
    const { agent, requests } = recordedAgent([two], {
      tools: [tool("a", { content: "x", terminate: true }), tool("b", { content: "y", terminate: true })],
    });
    assert.equal((await agent.prompt("hi")).reason, "done");
    assert.equal(requests.length, 1);
  });

  it("C33: one result that does not terminate keeps the run going, and so does an error", async () => {
    const { agent, requests } = recordedAgent([two, text("ok")], {
      tools: [
        tool("a", { content: "x", terminate: true }),
        tool("b", () => {
          throw new Error("broke");
        }),
      ],
    });
    await agent.prompt("hi");
    assert.equal(requests.length, 2);
  });

  it("C33: a block that terminates ends the run", async () => {
    const { agent, requests } = recordedAgent([call("a")], {
      tools: [tool("a")],
      hooks: { beforeToolCall: () => ({ block: true, terminate: true }) },
    });
    assert.equal((await agent.prompt("hi")).reason, "done");
    assert.equal(requests.length, 1);
  });

  it("C34: after a terminating batch the run goes on with a message that is queued", async () => {
    const { agent, requests } = recordedAgent([call("a"), text("ok")], {
      tools: [
        tool("a", () => {
          agent.followUp("and this");
          return { content: "x", terminate: true };
        }),
      ],
    });
    await agent.prompt("hi");
    assert.equal(requests.length, 2);
    assert.equal(requests[1]?.messages.at(-1)?.role, "user");
  });

  it("A before-hook that throws makes an error result of that call alone (U25)", async () => {
    const { agent } = recordedAgent([two, text("ok")], {
      tools: [tool("a"), tool("b", "fine")],
      hooks: {
        beforeToolCall(info) {
          if (info.call.name === "a") throw new Error("no policy");
        },
      },
    });
    assert.equal((await agent.prompt("hi")).reason, "done");
    assert.deepEqual(results(agent.messages), ['The call of "a" could not be checked: no policy', "fine"]);
  });
});
