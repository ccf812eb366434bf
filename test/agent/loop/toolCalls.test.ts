import assert from "node:assert/strict";
import * as z from "zod";
import { emptyTree, foldTree } from "../../../src/agent/tree.ts";
import { FatalToolError } from "../../../src/agent/vocabulary/errors.ts";
import type { ToolContext } from "../../../src/agent/vocabulary/tools.ts";
import { collect, ofType, recordedAgent, results, story, tool } from "../../support/agents.ts";
import { call, calls, text } from "../../support/scriptedModel.ts";

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

  it("C35: calls in a message cut by the output limit are not executed; each result asks to issue it again", async () => {
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

  it("A call id that a server uses again in a later answer becomes unique, so that the tree has both calls", async () => {
    const { agent, events } = recordedAgent([call("echo", {}, "c1"), call("echo", {}, "c1"), text("done")], {
      tools: [tool("echo")],
    });
    await agent.prompt("go");
    const [node] = Object.values(foldTree(emptyTree(), events).nodes);
    assert.equal(Object.keys(node?.tools ?? {}).length, 2);
    assert.ok(Object.keys(node?.tools ?? {}).includes("c1"));
    const resumed = recordedAgent([call("echo", {}, "c1"), text("done")], {
      messages: [...agent.messages],
      tools: [tool("echo")],
    });
    await resumed.agent.prompt("again");
    assert.notEqual(ofType(resumed.events, "tool_execution_start")[0]?.callId, "c1");
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
