import assert from "node:assert/strict";
import { foldTree } from "../../../src/agent/tree/reduceTree.ts";
import { emptyTree } from "../../../src/agent/tree.ts";
import type { ExternalAgent, TakeTurn } from "../../../src/agent/vocabulary/externalTurn.ts";
import { type AssistantMessage, textOf } from "../../../src/agent/vocabulary/messages.ts";
import { ofType, recordedAgent, typesOf } from "../../support/agents.ts";
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
});
