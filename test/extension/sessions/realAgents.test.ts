import assert from "node:assert/strict";
import fc from "fast-check";
import * as z from "zod";
import { AgentRegistry, compactEffect, defineTool, MemorySessionStore } from "../../../src/agent/index.ts";
import type { LogEntry } from "../../../src/protocol/messages.ts";
import { testAgent } from "../../support/scriptedAgents.ts";
import { type Reply, testModel } from "../../support/scriptedModel.ts";
import { timeLimitMs, tries } from "../../support/soak.ts";
import { fold, withoutChildrensWords } from "./support/chatLog.ts";
import { testFolder } from "./support/folder.ts";
import { writeSession } from "./support/writeSession.ts";

const text = fc.string({ unit: "grapheme", maxLength: 30 });
const reply: fc.Arbitrary<Reply> = fc.oneof(
  text.map((words): Reply => ({ text: words })),
  fc.record({ text, thinking: text, bulk: fc.boolean() }),
  fc.array(fc.constantFrom("print", "delegate", "missing"), { minLength: 1, maxLength: 3 }).map(
    (names): Reply => ({
      text: "Let me see.",
      calls: names.map((name) =>
        name === "delegate"
          ? { name: "delegate_to_agent", args: { agent: "explore", task: "Look.", context: "" } }
          : { name, args: {} },
      ),
    }),
  ),
  text.map((words): Reply => ({ text: words, unfinished: true })),
  text.map((words): Reply => ({ text: words, error: "The line broke." })),
);

/** What the user does between runs: says something, or rewinds to one of their messages. */
const act = fc.oneof(
  { weight: 3, arbitrary: text.map((words) => ({ says: `Do ${words}` })) },
  { weight: 1, arbitrary: fc.nat(3).map((rewinds) => ({ rewinds })) },
);

describe("a session of agents that really run", function () {
  this.timeout(timeLimitMs(60_000));

  it("folds to what they reported, whatever their model answers and however it fails", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(reply, { minLength: 1, maxLength: 6 }),
        fc.array(act, { maxLength: 5 }),
        async (replies, acts) => {
          const entries = await play(replies, acts);
          const id = `chat-${++count}`;
          await writeSession(storage, id, { entries });
          const { entries: read, writer } = await storage.open(id);
          await writer?.close();
          const live = fold(entries);
          assert.deepEqual(withoutChildrensWords(fold(read)), withoutChildrensWords(live));
          for (const { meta, messages } of Object.values(live.tree.nodes)) {
            assert.deepEqual(await storage.messagesOf(id, meta.id), messages);
          }
        },
      ),
      tries("sessions"),
    );
  });
});

async function play(
  replies: readonly Reply[],
  acts: readonly ({ says: string } | { rewinds: number })[],
): Promise<LogEntry[]> {
  const registry = new AgentRegistry();
  registry.register({ name: "explore", description: "Looks around." }, () => ({
    instructions: "Explore.",
    maxTurns: 2,
  }));
  const print = defineTool({
    name: "print",
    description: "Prints.",
    schema: z.looseObject({}),
    execute: (_, context) => {
      for (const words of ["one\n", "two\n"]) context.output(words);
      return "printed";
    },
  });
  let turn = 0;
  const { agent, events } = testAgent(() => replies[turn++ % replies.length] ?? {}, {
    name: "main",
    registry,
    session: new MemorySessionStore(),
    tools: [print],
    effects: [compactEffect({ contextWindow: 200 })],
    maxTurns: 3,
    model: testModel,
  });
  for (const step of [{ says: "Begin." }, ...acts]) {
    if ("says" in step) await agent.send(step.says).result;
    else {
      const asked = agent.messages.filter(({ role }) => role === "user");
      const message = asked[step.rewinds % Math.max(1, asked.length)];
      if (message !== undefined) await agent.rewindTo(message.id);
    }
  }
  await agent.dispose();
  return events.map((event, at) => ({ seq: at + 1, agent: event }));
}
