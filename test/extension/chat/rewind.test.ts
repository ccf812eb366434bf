import assert from "node:assert/strict";
import { MemorySessionStore, type UserMessage } from "../../../src/agent/index.ts";
import { emptyTree, reduceTree } from "../../../src/agent/tree.ts";
import { Chat } from "../../../src/extension/chat/chat.ts";
import { foldLog } from "../../../src/extension/chat/restore/restoredChat.ts";
import { testAgent } from "../../support/scriptedAgents.ts";

function said(id: string): UserMessage {
  return { role: "user", id, content: [{ type: "text", text: `words of ${id}` }], timestamp: 0 };
}

/** A chat of two messages and their answers. */
async function conversing() {
  const { agent, events, requests } = testAgent(
    [{ text: "first" }, { text: "second" }, { text: "third" }, { text: "fourth" }],
    {
      session: new MemorySessionStore(),
    },
  );
  const chat = new Chat({
    createAgent: () => agent,
    configure: () => {},
    noticeFor: () => undefined,
    onActivity: () => {},
  });
  await chat.send(said("one"), "queue");
  await chat.send(said("two"), "queue");
  const texts = () => agent.messages.map((message) => (message.role === "user" ? message.id : message.role));
  const shown = () => {
    const tree = events.reduce(reduceTree, emptyTree());
    return tree.nodes[tree.roots[0] ?? ""]?.messages.length;
  };
  return { chat, agent, texts, shown, requests };
}

describe("a chat that is rewound", () => {
  it("loses the message and all after it, also for the panel and the model", async () => {
    const { chat, texts, shown, requests } = await conversing();
    const removed = await chat.rewindTo("two");
    assert.equal(removed.messages.length, 2);
    assert.deepEqual([texts(), shown()], [["one", "assistant"], 2]);
    await chat.send(said("three"), "queue");
    assert.deepEqual(texts(), ["one", "assistant", "three", "assistant"]);
    assert.equal(requests.at(-1)?.messages.length, 3);
  });

  it("has them again when that is undone, and can be rewound again", async () => {
    const { chat, texts, shown } = await conversing();
    const { messages, after } = await chat.rewindTo("one");
    // Once more where the editor ended before that was known.
    for (let time = 0; time < 2; time++) await chat.putBack(messages, after);
    assert.deepEqual([texts(), shown()], [["one", "assistant", "two", "assistant"], 4]);
    await chat.rewindTo("two");
    assert.deepEqual(texts(), ["one", "assistant"]);
  });

  it("has them again ahead of what was said since", async () => {
    const { chat, texts, requests } = await conversing();
    const { messages, after } = await chat.rewindTo("two");
    await chat.send(said("three"), "queue");
    await chat.putBack(messages, after);
    assert.deepEqual(texts(), ["one", "assistant", "two", "assistant", "three", "assistant"]);
    await chat.send(said("four"), "queue");
    assert.equal(requests.at(-1)?.messages.length, 7);
  });

  it("has in its log what its agent has left where what was removed can't be added again", async () => {
    const { chat, agent, texts } = await conversing();
    const { messages, after } = await chat.rewindTo("two");
    await chat.send(said("three"), "queue");
    const logged = () => {
      const { tree } = foldLog(chat.log.entriesAfter(0) ?? []);
      return tree.nodes[tree.roots[0] ?? ""]?.messages.map(({ id }) => id);
    };
    agent.addMessage = () => {
      throw new Error("There is no room.");
    };
    await assert.rejects(chat.putBack(messages, after), /no room/);
    assert.deepEqual(texts(), ["one", "assistant"]);
    assert.deepEqual(
      logged(),
      agent.messages.map(({ id }) => id),
    );
  });

  it("refuses a message that it does not have", async () => {
    const { chat, texts } = await conversing();
    await assert.rejects(chat.rewindTo("other"), { name: "UserError" });
    assert.equal(texts().length, 4);
  });
});
