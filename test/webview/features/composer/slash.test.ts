import assert from "node:assert/strict";
import type { Attachment } from "../../../../src/protocol/attachments.ts";
import type { Intent } from "../../../../src/protocol/messages.ts";
import { slashAction } from "../../../../src/webview/features/composer/slash.ts";

const file: Attachment = { kind: "file", path: "a.ts" };
const names: [string, boolean][] = [
  ["new", false],
  ["clear", false],
  ["cost", false],
  ["stop", false],
  ["model", false],
  ["compact", false],
  ["rewind", false],
  ["plan", true],
  ["fix", true],
  ["history", false],
];
const context = {
  commands: names.map(([name, takesText]) => ({ name, description: "", takesText })),
  attachments: [file],
  whenBusy: "queue" as const,
  lastMessageId: "u1",
};
const intents = (text: string): Intent[] | undefined => slashAction(text, context)?.intents;

describe("a text that begins with a slash", () => {
  it("does what its command does", () => {
    assert.deepEqual(intents("/new"), [{ type: "newChat" }]);
    assert.deepEqual(intents("/clear"), [{ type: "newChat" }]);
    assert.deepEqual(slashAction("/cost", context), { intents: [], takesAttachments: false, shows: "usage" });
    assert.deepEqual(intents(" /stop "), [{ type: "stop" }]);
    assert.deepEqual(intents("/model"), [{ type: "selectModel" }]);
    assert.deepEqual(intents("/compact"), [{ type: "compact" }]);
    assert.deepEqual(intents("/rewind"), [{ type: "rewind", messageId: "u1", what: "both" }]);
  });

  it("hands another program's command to the host, though it has the name of one of ours", () => {
    const commands = [{ name: "compact", description: "", takesText: true, group: "server" as const }];
    assert.deepEqual(slashAction("/compact", { ...context, commands })?.intents, [
      { type: "command", name: "compact", text: "", attachments: [file], whenBusy: "queue" },
    ]);
  });

  it("hands the others to the host with the words and what is attached", () => {
    assert.deepEqual(intents("/fix the\nleak"), [
      { type: "command", name: "fix", text: "the\nleak", attachments: [file], whenBusy: "queue" },
    ]);
    assert.deepEqual(intents("/history"), [
      { type: "command", name: "history", text: "", attachments: [], whenBusy: "queue" },
    ]);
  });

  it("plans what follows /plan, and else only changes the mode", () => {
    assert.deepEqual(intents("/plan"), [{ type: "setMode", mode: "plan" }]);
    assert.deepEqual(intents("/plan add login"), [
      { type: "setMode", mode: "plan" },
      { type: "send", text: "add login", attachments: [file], whenBusy: "queue" },
    ]);
  });

  it("is a text like others where the command is not known or takes no words", () => {
    for (const text of ["/unknown", "/etc/passwd is readable", "/stop it now", "a /new", "/", "//new"]) {
      assert.equal(intents(text), undefined, text);
    }
  });
});
