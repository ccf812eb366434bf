import assert from "node:assert/strict";
import { Agent } from "../../../../src/agent/index.ts";
import { Chat } from "../../../../src/extension/chat/chat.ts";
import {
  createIntentHandler,
  type IntentDependencies,
} from "../../../../src/extension/panel/intents/intentHandlers.ts";
import type { Panel } from "../../../../src/extension/panel/panel.ts";
import { type Intent, maxIntentText } from "../../../../src/protocol/intents.ts";
import { user } from "../../../support/events.ts";
import { scriptedModel, text } from "../../../support/scriptedModel.ts";

/** A chat with one message of this length; `post` gives what an intent comes to. */
async function chatWith(length: number) {
  const { model, streamFn } = scriptedModel(() => text("hello"));
  const chat = new Chat({
    createAgent: () => new Agent({ name: "main", systemPrompt: "", model, streamFn }),
    configure: () => {},
    noticeFor: () => undefined,
    onActivity: () => {},
  });
  await chat.send(user("u", "x".repeat(length)), "queue");
  let report: (outcome: string) => void = () => {};
  // All that a message needs that is rewound, composed or sent again.
  const parts = {
    review: {},
    conversation: { current: chat, send: async (again: string) => report(`sent ${again.length}`) },
    rewinds: { rewind: async () => report("rewound") },
    panel: { send: (message: { type: string; text: string }) => report(`${message.type} ${message.text.length}`) },
  } as unknown as IntentDependencies;
  const handle = createIntentHandler(
    () => parts,
    (error) => report(error instanceof Error ? error.message : String(error)),
  );
  const agentId = chat.rootId ?? assert.fail();
  return {
    chat,
    post: (intent: Intent) =>
      new Promise<string>((resolve) => {
        report = resolve;
        handle(intent, {} as Panel);
      }),
    again: { messageId: "u", what: "both", isResend: true },
    compose: (isSent: boolean): Intent => ({ type: "composeMessage", agentId, messageId: "u", isSent }),
  } as const;
}

describe("a message that is too long for the composer", () => {
  it("is not rewound to be edited, since it could not be sent again, but is to be sent as it is", async () => {
    const { chat, post, again, compose } = await chatWith(maxIntentText + 1);
    const refusal = "This message is too long to be edited here.";
    assert.equal(await post({ type: "rewind", ...again, isSent: false }), refusal);
    assert.equal(await post({ type: "rewind", ...again }), refusal);
    assert.equal(await post(compose(false)), refusal);
    assert.equal(await post({ type: "rewind", ...again, isSent: true }), "rewound");
    // It has left the conversation by then.
    await chat.rewindTo("u");
    assert.equal(await post(compose(true)), `sent ${maxIntentText + 1}`);
    await chat.dispose();
  });

  it("is rewound and composed where it just fits", async () => {
    const { chat, post, again, compose } = await chatWith(maxIntentText);
    assert.equal(await post({ type: "rewind", ...again, isSent: false }), "rewound");
    await chat.rewindTo("u");
    assert.equal(await post(compose(false)), `compose ${maxIntentText}`);
    await chat.dispose();
  });
});
