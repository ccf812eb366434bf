import assert from "node:assert/strict";
import fc from "fast-check";
import { EventLog } from "../../../src/extension/chat/log/eventLog.ts";
import { Channel } from "../../../src/extension/panel/channel/channel.ts";
import type { Intent } from "../../../src/protocol/messages.ts";
import { recording, status, text, toolCall } from "../support/recording.ts";
import { type TestPanel, testPanel } from "../support/testPanel.ts";

/** Two agents that write at once, a call with live output, and an answer that is left unfinished. */
function conversation() {
  const log = recording();
  const main = log.agent("main");
  log.user(main, "Look around.");
  log.answer(main, [text("I send someone."), toolCall("c1", "run", { command: "npm test" })]);
  log.toolStart(main, "c1", "run", "Run", { command: "npm test" });
  const child = log.agent("explore", main, "c1");
  const ids = { child: log.streaming(child, ""), main: "" };
  for (const part of ["Reads", " `a.ts`", " and **b**", ".\n\n- one", "\n- two"]) {
    const output = { callId: "c1", toolName: "run", output: `${part}\n` };
    log.event(main, { type: "tool_execution_update", ...output });
    log.event(child, {
      type: "message_update",
      messageId: ids.child,
      delta: { type: "text_delta", index: 0, delta: part },
    });
  }
  log.toolEnd(main, "c1", "run", "2 passing");
  ids.main = log.streaming(main, "");
  for (const delta of ["It ", "is ", "in `a", ".ts`, ", "line 3", ".\n"]) {
    log.event(main, { type: "message_update", messageId: ids.main, delta: { type: "text_delta", index: 0, delta } });
  }
  return log.entries;
}

/** A panel's page and the host's end of it, which lose each other as the editor pleases. */
interface World {
  grow(count: number): void;
  /** The host sends what waits; the page draws. */
  frame(): void;
  recreate(): void;
  hide(): void;
  shown(): unknown;
}

function createWorld(): World {
  const log = new EventLog();
  const chat = { id: "chat-1", log, draft: { text: "", attachments: [] }, transcriptOf: () => undefined };
  const source = conversation();
  let saved: unknown;
  let page: TestPanel | undefined;
  const channel = new Channel(chat, { postMessage: (json) => page?.panel.receive({ data: json }) });

  function answer(intent: Intent): void {
    if (intent.type !== "ready") return;
    const { chatId, lastSeq = 0 } = intent;
    channel.resume(chatId === undefined ? undefined : { chatId, lastSeq }, status());
  }

  function recreate(): void {
    page = testPanel(answer, page?.saved() ?? saved);
    page.panel.start();
  }

  function frame(): void {
    // What waits for the next frame goes before the host turns to anything else.
    channel.closeAgent("nobody");
    page?.timing.runFrame();
    page?.timing.runLater();
  }

  recreate();
  return {
    grow(count) {
      for (const entry of source.splice(0, count)) if ("agent" in entry) log.appendAgent(entry.agent);
    },
    frame,
    recreate,
    hide() {
      channel.pause();
      saved = page?.saved() ?? saved;
      page = undefined;
    },
    shown() {
      if (page === undefined) recreate();
      frame();
      const { panel } = page ?? assert.fail("A page was made.");
      return { transcript: panel.conversation.transcript.value, rows: panel.tree.rows.value };
    },
  };
}

const step = fc.oneof(
  fc.nat(4).map((count) => (world: World) => world.grow(count)),
  fc.constant((world: World) => world.frame()),
  fc.constant((world: World) => world.recreate()),
  fc.constant((world: World) => world.hide()),
);

describe("a panel that is hidden, disposed or created again while agents write", () => {
  it("shows exactly what one shows that was always there", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const world = createWorld();
        for (const take of steps) take(world);
        world.grow(100);
        const steady = createWorld();
        steady.grow(100);
        assert.deepEqual(world.shown(), steady.shown());
      }),
    );
  });
});
