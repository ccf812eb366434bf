import assert from "node:assert/strict";
import fc from "fast-check";
import { Agent } from "../../../../src/agent/index.ts";
import { Chat } from "../../../../src/extension/chat/chat.ts";
import { UserError } from "../../../../src/extension/common/userError.ts";
import {
  createIntentHandler,
  type IntentDependencies,
} from "../../../../src/extension/panel/intents/intentHandlers.ts";
import { Panel, type PanelPage } from "../../../../src/extension/panel/panel.ts";
import { type Intent, intentSchema, maxIntentText } from "../../../../src/protocol/intents.ts";
import { panelStatus, receivedMessage } from "../../../support/hostMessages.ts";
import { scriptedModel, text } from "../../../support/scriptedModel.ts";
import { timeLimitMs, tries } from "../../../support/soak.ts";

const attachments = [
  { kind: "file", path: "a.ts" },
  { kind: "image", name: "a.png", mimeType: "image/png", data: "aGVsbG8=" },
] as const;

/** One of each type, with all that it may hold. */
const samples: readonly Intent[] = [
  { type: "ready", chatId: "c", lastSeq: 1 },
  { type: "send", text: "hi", attachments: [...attachments], whenBusy: "queue" },
  { type: "stop", agentId: "main" },
  { type: "pauseBranch", agentId: "main" },
  { type: "resumeBranch", agentId: "main" },
  { type: "messageAgent", agentId: "main", text: "hi" },
  { type: "retryAgent", agentId: "main", asksForModel: true },
  { type: "runAgain", agentId: "main", task: "", times: 2 },
  { type: "useRun", comparisonId: "call", index: 0 },
  { type: "closeComparison", comparisonId: "call" },
  { type: "askAgain", agentId: "main", text: "more" },
  { type: "removeQueued", messageId: "m" },
  { type: "editQueued", messageId: "m" },
  { type: "sendQueued", messageId: "m" },
  { type: "openAgent", agentId: "main" },
  { type: "closeAgent", agentId: "main" },
  {
    ...{ type: "decide", approvalId: "a", hunkId: "h", path: "a.ts", decision: "rejected", reason: "no" },
    ...{ scope: "session", command: "ls", isOver: true },
  },
  { type: "mergeHunk", hunkId: "h" },
  { type: "decideEdits", approvalIds: ["a", "b"], decision: "rejected", reason: "no" },
  { type: "focusChanged", isFocused: true },
  { type: "removeGrant", grantId: "g" },
  { type: "setMode", mode: "plan" },
  { type: "setThinking", level: "low" },
  { type: "setEditorState", isSent: false },
  { type: "compact", agentId: "main" },
  { type: "setBudget", target: { scope: "agent", agentId: "main" }, limits: { cost: 1, turns: 2 } },
  { type: "answerBudget", questionId: "b", decision: "extend" },
  { type: "showTrace" },
  { type: "openDiff", approvalId: "a", path: "a.ts" },
  { type: "reviewRun", messageId: "m" },
  { type: "reviewPending", agentId: "main" },
  { type: "keepAll", path: "a.ts", agentId: "main" },
  { type: "undoAll", path: "a.ts", agentId: "main" },
  { type: "keepHunks", hunkIds: ["h"] },
  { type: "undoHunks", hunkIds: ["h"], reason: "no" },
  { type: "diffHunks", hunkIds: ["h"] },
  { type: "redoEdits" },
  { type: "forgetUndoneEdits" },
  { type: "rewind", messageId: "m", what: "both" },
  { type: "undoRewind" },
  { type: "undoBranch", agentId: "main" },
  { type: "answerQuestion", questionId: "q", text: "yes" },
  { type: "newChat" },
  { type: "listHistory", query: "a", limit: 20 },
  { type: "closeHistory" },
  { type: "openChat", chatId: "c" },
  { type: "openInEditor", chatId: "c", view: "timeline" },
  { type: "renameChat", chatId: "c", title: "new" },
  { type: "deleteChat", chatId: "c" },
  { type: "restoreChat", chatId: "c" },
  { type: "exportChat", chatId: "c" },
  { type: "importChat" },
  { type: "replayChat", chatId: "c1" },
  { type: "showChatFile", chatId: "c1" },
  { type: "forkChat", chatId: "c", messageId: "m" },
  { type: "followRecording" },
  { type: "leaveRecording" },
  { type: "showEarlier" },
  { type: "selectModel", model: "demo/demo" },
  { type: "noticeAction", noticeId: "n", action: "openSettings" },
  { type: "dismissNotice", noticeId: "n" },
  { type: "openLink", href: "https://example.com" },
  { type: "openFile", path: "a.ts", line: 1 },
  { type: "showInTerminal", callId: "c" },
  { type: "showCommandOutput", commandId: "r" },
  { type: "stopCommand", commandId: "r" },
  { type: "copy", text: "a" },
  { type: "copyMessage", agentId: "main", messageId: "m" },
  { type: "showWhole", source: { agentId: "main", id: "m", part: 0 } },
  { type: "composeMessage", agentId: "main", messageId: "m", isSent: false },
  { type: "copyTranscript", agentId: "main" },
  { type: "insertAtCursor", text: "a" },
  { type: "applyCode", text: "a", language: "ts", path: "a.ts" },
  { type: "draft", chatId: "c", text: "a", attachments: [...attachments] },
  { type: "suggest", requestId: "1", kind: "mention", query: "a" },
  { type: "command", name: "explain", text: "a", attachments: [...attachments], whenBusy: "steer" },
  { type: "dropFiles", uris: ["file:///a.ts"] },
];

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;

/** What a page can post: more than JSON. */
const strangeValues = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withSparseArray: true }),
  fc.string(),
  fc.constantFrom<unknown>(cyclic, Number.NaN, -0, "x".repeat(10_000), "__proto__", "../../etc/passwd", undefined),
);

const damaged = fc
  .tuple(fc.constantFrom(...samples), fc.nat(7), strangeValues, fc.boolean())
  .map(([sample, place, value, adds]) => {
    const names = Object.keys(sample);
    const name = adds ? "command" : (names[place % names.length] ?? "type");
    return { ...sample, [name]: value };
  });

const posted = fc.oneof(
  { weight: 6, arbitrary: damaged },
  { weight: 1, arbitrary: strangeValues },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...samples),
  },
);

/** Parts of the host of which each call succeeds, whatever it is given. */
function answeringParts(chat: Chat): IntentDependencies {
  const part = (): object =>
    new Proxy(async () => {}, {
      get(_target, name) {
        if (name === "current") return chat;
        return name === "of" ? part : part();
      },
      has: () => true,
    });
  // Every part is the same one.
  return part() as IntentDependencies;
}

function newPage() {
  const { model, streamFn } = scriptedModel(() => text("hello"));
  const chat = new Chat({
    createAgent: () => new Agent({ name: "main", systemPrompt: "", model, streamFn }),
    configure: () => {},
    noticeFor: () => undefined,
    onActivity: () => {},
  });
  const carried: Intent[] = [];
  const failures: unknown[] = [];
  const posts: string[] = [];
  const parts = answeringParts(chat);
  const handle = createIntentHandler(
    () => parts,
    (error) => failures.push(error),
  );
  const panel = new Panel(chat, {
    status: () => panelStatus,
    onIntent: (intent, from) => {
      carried.push(intent);
      handle(intent, from);
    },
    suggest: async () => [],
    warn: () => {},
    reportFailure: (error) => failures.push(error),
    onLoad: () => {},
    onTurn: () => {},
  });
  const page: PanelPage = panel.connect({ postMessage: (json) => posts.push(json) });
  return { chat, carried, failures, posts, page };
}

/** What of it the schema does not name. */
function unknownParts(intent: Intent): string[] {
  const known = new Set(Object.keys(samples.find(({ type }) => type === intent.type) ?? {}));
  return Object.keys(intent).filter((name) => !known.has(name));
}

describe("what a page posts", function () {
  this.timeout(timeLimitMs(60_000));

  it("has a sample of each type here", () => {
    const types = intentSchema.options.map(({ shape }) => shape.type.value);
    assert.deepEqual([...new Set(samples.map(({ type }) => type))].sort(), [...types].sort());
    for (const sample of samples) assert.deepEqual(intentSchema.parse(sample), sample);
  });

  it("84 never breaks the host, and only intents get further, with nothing else in them", async () => {
    const { chat, carried, failures, posts, page } = newPage();
    fc.assert(
      fc.property(posted, (message) => {
        carried.length = 0;
        page.receive(message);
        for (const intent of carried) {
          assert.deepEqual(intentSchema.safeParse(intent).data, intent);
          assert.deepEqual(unknownParts(intent), []);
        }
      }),
      tries("strangeIntents"),
    );
    await chat.stop();
    // A link that leads astray is refused, of which the user is informed.
    assert.deepEqual(
      failures.filter((error) => !(error instanceof UserError)),
      [],
    );
    posts.length = 0;
    page.receive({ type: "ready" });
    assert.equal(posts.map(receivedMessage)[0]?.type, "chat");
  });

  it("84 names no command of the editor, no mode and no setting of its own", () => {
    const { carried, page } = newPage();
    for (const message of [
      { type: "noticeAction", noticeId: "n", action: "workbench.action.terminal.new" },
      { type: "executeCommand", command: "workbench.action.quit" },
      { type: "setMode", mode: "allow-everything" },
      { type: "decide", approvalId: "a", decision: "accepted", scope: "everything" },
      { type: "openInEditor", chatId: "c", view: "file:///etc/passwd" },
      { type: "addGrant", grant: { command: "rm -rf /" } },
    ])
      page.receive(message);
    assert.deepEqual(carried, []);
    page.receive({ type: "setMode", mode: "plan" });
    assert.equal(carried.length, 1);
  });

  it("loses no text that is too long: it is in the composer again, with the reason", async () => {
    const { carried, failures, posts, page } = newPage();
    page.receive({ type: "ready" });
    posts.length = 0;
    const long = "x".repeat(maxIntentText + 1);
    const attachments = [{ kind: "file", path: "a.ts" }];
    page.receive({ type: "send", text: long, attachments, whenBusy: "queue" });
    page.receive({ type: "copy", text: long });
    assert.deepEqual(
      carried.filter(({ type }) => type !== "ready"),
      [],
    );
    assert.deepEqual(failures.map(String), Array(2).fill("UserError: This text is longer than 5 million characters."));
    assert.deepEqual(posts.map(receivedMessage), [{ type: "compose", text: long, attachments }]);
  });

  it("pauses nothing in a chat that another window has", async () => {
    for (const isReadOnly of [true, false]) {
      const { chat, failures, page } = newPage();
      Object.assign(chat, { isReadOnly });
      for (const type of ["pauseBranch", "resumeBranch"]) page.receive({ type, agentId: "main" });
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(
        failures.map((error) => error instanceof UserError && /open in another window/.test(error.message)),
        isReadOnly ? [true, true] : [],
      );
    }
  });
});
