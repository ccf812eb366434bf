import assert from "node:assert/strict";
import fc from "fast-check";
import { messageSchema } from "../../src/protocol/agentEventSchemas.ts";
import { hostMessageSchema } from "../../src/protocol/hostMessageSchemas.ts";
import type { HostMessage } from "../../src/protocol/messages.ts";
import { logOf, randomChat } from "../extension/sessions/support/randomLogs.ts";
import { receivedMessage } from "../support/hostMessages.ts";
import { tries } from "../support/soak.ts";

describe("the messages of the host", () => {
  it("hold every event of a log, whatever was run, rewound, undone and summarized", () => {
    fc.assert(
      fc.property(randomChat, (chat) => {
        const entries = logOf(chat);
        const message: HostMessage = { type: "entries", chatId: "a", afterSeq: 0, upToSeq: entries.length, entries };
        assert.deepEqual(receivedMessage(JSON.stringify(message)), message);
      }),
      tries("sessions"),
    );
  });

  const refused: [string, unknown][] = [
    ["an unknown type", { type: "explode" }],
    ["a status without a model", { type: "status", status: { models: [] } }],
    ["an entry that is neither an agent's nor the host's", entriesOf({ seq: 1 })],
    ["an event of an unknown type", entriesOf({ seq: 1, host: { type: "vote_cast" } })],
    ["an event without its text", entriesOf({ seq: 1, host: { type: "chat_titled" } })],
  ];
  for (const [what, message] of refused) {
    it(`are refused: ${what}`, () => assert.equal(hostMessageSchema.safeParse(message).success, false));
  }
});

function entriesOf(...entries: unknown[]) {
  return { type: "entries", chatId: "a", afterSeq: 0, upToSeq: 1, entries };
}

describe("a message of the user's", () => {
  const message = { role: "user", id: "u", content: [{ type: "text", text: "" }], timestamp: 0 };

  it("lists its attachments, beside what else its metadata holds", () => {
    const meta = { attachments: [{ kind: "file", path: "a.ts" }], noted: true };
    assert.deepEqual(messageSchema.parse({ ...message, meta }), { ...message, meta });
  });

  it("is refused with a damaged list", () => {
    for (const attachments of [3, {}, [null], [3], [{}], [{ kind: "file" }], [{ kind: "strange" }]]) {
      assert.equal(messageSchema.safeParse({ ...message, meta: { attachments } }).success, false);
    }
  });
});

describe("an answer of a model", () => {
  it("has all that its provider wants back", () => {
    const answer = {
      ...{ role: "assistant", id: "a", model: "m", provider: "p", stopReason: "toolUse", timestamp: 0 },
      content: [
        { type: "thinking", text: "So.", signature: "s" },
        { type: "text", text: "Looking.", phase: "commentary" },
        { type: "toolCall", id: "c", name: "read", arguments: {}, signature: '{"google":{"thought_signature":"s"}}' },
      ],
    };
    assert.deepEqual(messageSchema.parse(answer), answer);
  });
});
