import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { aborted, collect, gate, ofType, recordedAgent, results, seenType, story, tool } from "../../support/agents.ts";
import { call, calls, text } from "../../support/scriptedModel.ts";

const two = calls({ name: "a", id: "1" }, { name: "b", id: "2" });

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

  it("A before-hook that throws makes an error result of that call alone", async () => {
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
