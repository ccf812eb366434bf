import assert from "node:assert/strict";
import { foldTree } from "../../../src/agent/tree/reduceTree.ts";
import { emptyTree } from "../../../src/agent/tree.ts";
import type { ExternalAgent, ExternalTurn, TakeTurn } from "../../../src/agent/vocabulary/externalTurn.ts";
import type { ToolCall } from "../../../src/agent/vocabulary/messages.ts";
import { type AssistantMessage, textOf } from "../../../src/agent/vocabulary/messages.ts";
import { ofType, recordedAgent, tool, typesOf } from "../../support/agents.ts";
import { text } from "../../support/scriptedModel.ts";

/** Says something as another program's agent does. */
function say(agent: ExternalAgent, words: string): AssistantMessage {
  const message: AssistantMessage = {
    ...{ role: "assistant", id: crypto.randomUUID(), content: [], model: "theirs", provider: "other" },
    ...{ stopReason: "stop", timestamp: 0 },
  };
  agent.emit({ type: "message_start", message });
  const said: AssistantMessage = { ...message, content: [{ type: "text", text: words }] };
  agent.add(said);
  return said;
}

const outside = (takeTurn: TakeTurn) => recordedAgent([], { externalTurn: () => takeTurn });

describe("a turn that another program takes", () => {
  it("gets what was sent since its latest answer, and its answer is the run's", async () => {
    const sent: string[][] = [];
    const { agent, events } = outside(async (turn) => {
      sent.push(turn.prompts.map(textOf));
      return say(turn.agent, `answer ${sent.length}`);
    });
    const first = await agent.prompt("one");
    const second = await agent.prompt("two");
    assert.deepEqual(sent, [["one"], ["two"]]);
    assert.deepEqual([first.reason, first.text, second.text], ["done", "answer 1", "answer 2"]);
    assert.deepEqual(agent.messages.map(textOf), ["one", "answer 1", "two", "answer 2"]);
    assert.deepEqual(typesOf(events).slice(0, 8), [
      ...["agent_start", "turn_start", "message_start", "message_end", "message_start", "message_end"],
      ...["turn_end", "agent_end"],
    ]);
  });

  it("is taken by the loop where the model is no agent of another program", async () => {
    const { agent, requests } = recordedAgent([text("ours")], { externalTurn: () => undefined });
    assert.equal((await agent.prompt("hi")).text, "ours");
    assert.equal(requests.length, 1);
  });

  it("shows its children below its agent, and what they report is counted above", async () => {
    const { agent, events } = outside(async (turn) => {
      const child = turn.agent.createChild({ name: "helper", label: "look around" });
      const grandchild = child.createChild({ name: "leaf" });
      grandchild.reportUsage({ input: 7 });
      say(grandchild, "found");
      grandchild.end("done");
      child.reportUsage({}, { tokens: 50, window: 200 });
      child.end("done");
      return say(turn.agent, "all done");
    });
    await agent.prompt("go");
    const tree = foldTree(emptyTree(), events);
    const root = tree.nodes[tree.roots[0] ?? ""];
    const child = tree.nodes[root?.children[0] ?? ""];
    const leaf = tree.nodes[child?.children[0] ?? ""];
    assert.deepEqual([child?.meta.name, child?.meta.label, child?.contextPercent], ["helper", "look around", 25]);
    assert.deepEqual([leaf?.meta.depth, leaf?.status, leaf?.messages.map(textOf)], [2, "done", ["found"]]);
    assert.deepEqual([leaf?.own.input, child?.total.input, root?.total.input, root?.own.input], [7, 7, 7, 0]);
  });

  it("may end with a call, which has run there", async () => {
    const { agent } = outside(async (turn) => {
      const message = say(turn.agent, "Let me see.");
      return { ...message, stopReason: "toolUse" };
    });
    assert.equal((await agent.prompt("go")).reason, "done");
  });

  it("leaves no child running that it forgot to end", async () => {
    const { agent, events } = outside(async (turn) => {
      turn.agent.createChild({ name: "lost" }).createChild({ name: "below" });
      return say(turn.agent, "done");
    });
    await agent.prompt("go");
    const tree = foldTree(emptyTree(), events);
    assert.deepEqual(
      Object.values(tree.nodes).map(({ meta, status }) => [meta.name, status]),
      [
        ["main", "done"],
        ["lost", "aborted"],
        ["below", "aborted"],
      ],
    );
  });

  it("that fails ends the run with what was thrown, and what it said stays", async () => {
    const { agent } = outside(async (turn) => {
      say(turn.agent, "so far");
      throw new Error("the program ended");
    });
    await assert.rejects(agent.prompt("go"), { code: "provider", message: "the program ended" });
    assert.deepEqual(agent.messages.map(textOf), ["go", "so far"]);
  });

  it("is left when it does not end after an abort, and counts for nothing afterwards", async () => {
    let late = () => {};
    const started = Promise.withResolvers<void>();
    const { agent, events } = recordedAgent([], {
      abortGraceMs: 5,
      externalTurn: () => (turn) => {
        late = () => say(turn.agent, "too late");
        started.resolve();
        return new Promise(() => {});
      },
    });
    const run = agent.prompt("go");
    await started.promise;
    await agent.abort();
    await assert.rejects(run, { code: "aborted" });
    const count = events.length;
    late();
    assert.equal(events.length, count);
  });

  it("takes what the user sends meanwhile when it wants to, and else gets it with its next turn", async () => {
    const taken: string[] = [];
    const sent: string[][] = [];
    const { agent } = outside(async (turn) => {
      sent.push(turn.prompts.map(textOf));
      if (sent.length === 1) {
        const steered = Promise.withResolvers<void>();
        turn.onSteering((take) => {
          taken.push(...take().map(textOf));
          steered.resolve();
        });
        agent.steer("rather this");
        await steered.promise;
        say(turn.agent, "steered");
        agent.followUp("and then that");
      }
      return say(turn.agent, "ok");
    });
    await agent.prompt("go");
    assert.deepEqual(taken, ["rather this"]);
    assert.deepEqual(sent, [["go"], ["and then that"]]);
    assert.deepEqual(agent.messages.map(textOf), ["go", "rather this", "steered", "ok", "and then that", "ok"]);
  });

  it("can end its run by a limit", async () => {
    const { agent, events } = outside(async (turn) => {
      turn.stop("limit", { limit: "cost", limitText: "enough" });
      return say(turn.agent, "as far as it went");
    });
    assert.equal((await agent.prompt("go")).reason, "limit");
    assert.equal(ofType(events, "agent_end").length, 1);
  });

  describe("may call its agent's tools", () => {
    const idle = new AbortController().signal;
    const part = (id: string, name = "look", args: unknown = {}): ToolCall => ({
      ...{ type: "toolCall", id, name, arguments: args },
    });
    const calls = async (turn: ExternalTurn, ...parts: ToolCall[]) => {
      const results = await Promise.all(parts.map((each) => turn.callTool(each, idle)));
      return results.map((result) => [result.callId, textOf(result), result.isError]);
    };

    it("which run as the agent's own: with its hooks, its events and its place in the tree", async () => {
      let results: unknown;
      const asked: string[] = [];
      const look = tool("look", (args, { agent }) => `${agent.name} saw ${args.at}`);
      const { agent, events } = recordedAgent([], {
        tools: [look, tool("write")],
        hooks: {
          beforeToolCall({ call, agent: caller }) {
            asked.push(`${caller.name} ${call.name}`);
            return call.name === "write" ? { block: true, reason: "not now" } : undefined;
          },
        },
        externalTurn: () => async (turn) => {
          assert.deepEqual(
            turn.tools.map(({ name }) => name),
            ["look", "write"],
          );
          results = await calls(turn, part("1", "look", { at: "a" }), part("2", "write"), part("3", "gone"));
          return say(turn.agent, "ok");
        },
      });
      await agent.prompt("go");
      assert.deepEqual(results, [
        ["1", "main saw a", false],
        ["2", "not now", true],
        ["3", 'Unknown tool "gone". Available: look, write', true],
      ]);
      assert.deepEqual(asked, ["main look", "main write"]);
      const tree = foldTree(emptyTree(), events);
      assert.deepEqual(
        Object.values(tree.nodes[agent.id]?.tools ?? {}).map(({ toolName, status }) => [toolName, status]),
        [
          ["look", "done"],
          ["write", "error"],
          ["gone", "error"],
        ],
      );
    });

    it("whose sub-agents are below it", async () => {
      const delegating = tool("delegate", async (_args, { subAgents }) => {
        const child = subAgents.create({ name: "helper" });
        return (await child.prompt("look")).text ?? "";
      });
      const { agent, events } = recordedAgent([text("found it")], {
        tools: [delegating],
        // As long as the model is the other program's.
        externalTurn: () => async (turn) => {
          if (turn.agent.meta.depth > 0) return say(turn.agent, "found it");
          const [result] = await calls(turn, part("1", "delegate"));
          return say(turn.agent, String(result?.[1]));
        },
      });
      assert.equal((await agent.prompt("go")).text, "found it");
      const tree = foldTree(emptyTree(), events);
      assert.equal(tree.nodes[tree.nodes[agent.id]?.children[0] ?? ""]?.meta.name, "helper");
    });

    it("one after the other as far as hooks go, and none once a hook has ended the work", async () => {
      let results: unknown;
      let atOnce = 0;
      const { agent } = recordedAgent([], {
        tools: [tool("look")],
        hooks: {
          async beforeToolCall({ call }) {
            atOnce += 1;
            await new Promise((resolve) => setTimeout(resolve, 1));
            assert.equal(atOnce, 1);
            atOnce -= 1;
            return call.id === "2" ? { block: true, reason: "enough", terminate: true } : undefined;
          },
        },
        externalTurn: () => async (turn) => {
          results = [...(await calls(turn, part("1"), part("2"))), ...(await calls(turn, part("3")))];
          return say(turn.agent, "ok");
        },
      });
      await agent.prompt("go");
      assert.deepEqual(results, [
        ["1", "ok", false],
        ["2", "enough", true],
        ["3", "No call is run any more: the work was ended.", true],
      ]);
    });

    it("one of which can be withdrawn alone, and none outlasts the turn", async () => {
      const waits = tool(
        "look",
        (_args, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(new Error("withdrawn")));
          }),
      );
      const late: ReturnType<ExternalTurn["callTool"]>[] = [];
      const { agent, events } = recordedAgent([], {
        tools: [waits],
        externalTurn: () => async (turn) => {
          const alone = new AbortController();
          const first = turn.callTool(part("1"), alone.signal);
          late.push(turn.callTool(part("2"), idle));
          setTimeout(() => alone.abort(), 10);
          assert.match(textOf(await first), /withdrawn/);
          return say(turn.agent, "ok");
        },
      });
      assert.equal((await agent.prompt("go")).text, "ok");
      assert.equal((await late[0])?.isError, true);
      const ends = ofType(events, "tool_execution_end").map(({ callId }) => callId);
      assert.deepEqual(ends, ["1", "2"]);
    });

    it("none of which begins after its turn, where the program was left behind", async () => {
      let ran = 0;
      const later: ExternalTurn[] = [];
      const { agent, events } = recordedAgent([], {
        tools: [tool("look", () => String(++ran))],
        externalTurn: () => async (turn) => {
          later.push(turn);
          return say(turn.agent, "ok");
        },
      });
      await agent.prompt("go");
      const count = events.length;
      const result = await later[0]?.callTool(part("1"), idle);
      assert.deepEqual([result?.callId, result?.isError, ran], ["1", true, 0]);
      assert.equal(events.length, count);
    });
  });
});
