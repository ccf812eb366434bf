import assert from "node:assert/strict";
import { Agent } from "../../../../src/agent/index.ts";
import { Chat } from "../../../../src/extension/chat/chat.ts";
import { noticeOf } from "../../../../src/extension/chat/notices.ts";
import {
  createIntentHandler,
  type IntentDependencies,
} from "../../../../src/extension/panel/intents/intentHandlers.ts";
import type { Panel } from "../../../../src/extension/panel/panel.ts";
import { scriptedModel, text } from "../../../support/scriptedModel.ts";

describe("a button of a notice", () => {
  it("asks for the key of the provider that the notice is about", async () => {
    const { model, streamFn } = scriptedModel(() => text("hello"));
    const chat = new Chat({
      createAgent: () => new Agent({ name: "main", systemPrompt: "", model, streamFn }),
      configure: () => {},
      noticeFor: () => undefined,
      onActivity: () => {},
    });
    const asked: unknown[] = [];
    const parts = {
      review: {},
      conversation: { current: chat },
      editor: { actOnNotice: async (...what: unknown[]) => void asked.push(what) },
    } as unknown as IntentDependencies;
    const handle = createIntentHandler(
      () => parts,
      (error) => assert.fail(String(error)),
    );
    const notice = noticeOf("error", { text: "Refused.", actions: ["setApiKey"], keyOf: "acme" });
    chat.notices.show(notice);
    handle({ type: "noticeAction", noticeId: notice.id, action: "setApiKey" }, {} as Panel);
    handle({ type: "noticeAction", action: "setUp" }, {} as Panel);
    assert.deepEqual(asked, [
      ["setApiKey", "acme"],
      ["setUp", undefined],
    ]);
    await chat.dispose();
  });
});
