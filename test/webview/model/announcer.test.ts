import assert from "node:assert/strict";
import { announcements, createAnnouncer } from "../../../src/webview/model/announcer.ts";
import { applyHostMessage, type ChatState, emptyChatState } from "../../../src/webview/model/chat.ts";
import { oneHunk } from "../gallery/scenes.ts";
import { manualTiming } from "../support/manualTiming.ts";
import { recording } from "../support/recording.ts";

describe("announcements", () => {
  it("are made of starts, ends and needed approvals, and nothing else", () => {
    const log = recording();
    const main = log.agent("main");
    const states: ChatState[] = [applyHostMessage(emptyChatState(), log.chat()).state];
    const step = (record: () => void): string[] => {
      const seq = log.lastSeq;
      const before = states.at(-1) ?? emptyChatState();
      record();
      const after = applyHostMessage(before, log.since(seq)).state;
      states.push(after);
      return announcements(before, after);
    };
    const child = { agent: main };
    assert.deepEqual(
      step(() => {
        child.agent = log.agent("edit", main, "c1");
      }),
      ["edit started"],
    );
    assert.deepEqual(
      step(() => log.streaming(main, "words")),
      [],
    );
    assert.deepEqual(
      step(() => log.host({ type: "approval_requested", approval: { ...oneHunk, agentId: child.agent.id } })),
      ["edit needs approval for src/login.ts"],
    );
    assert.deepEqual(
      step(() => log.end(child.agent, "error", "no")),
      ["edit failed"],
    );
  });

  it("name agents by their work, where that has a title", () => {
    const log = recording();
    const main = log.agent("main");
    const before = applyHostMessage(emptyChatState(), log.chat()).state;
    const seq = log.lastSeq;
    const { id } = log.agent("explore", main, "c1", "Audit the login");
    const asker = { agentId: id, agentPath: ["main", "explore"] };
    log.host({ type: "approval_requested", approval: { ...oneHunk, ...asker } });
    assert.deepEqual(announcements(before, applyHostMessage(before, log.since(seq)).state), [
      "Audit the login needs approval for src/login.ts",
      "Audit the login started",
    ]);
  });

  it("name all who ask for the same", () => {
    const log = recording();
    log.agent("main");
    const before = applyHostMessage(emptyChatState(), log.chat()).state;
    const seq = log.lastSeq;
    const asker = (name: string) => ({ agentId: name, agentPath: ["main", name], callId: name });
    const others = [asker("two"), asker("three")];
    log.host({ type: "approval_requested", approval: { ...oneHunk, ...asker("one"), others } });
    assert.deepEqual(announcements(before, applyHostMessage(before, log.since(seq)).state), [
      "one, two and three need approval for src/login.ts",
    ]);
  });

  it("are silent about a chat that was only opened", () => {
    const log = recording();
    log.agent("main");
    assert.deepEqual(announcements(emptyChatState(), applyHostMessage(emptyChatState(), log.chat()).state), []);
  });

  it("come at most once in a while, what gathered meanwhile together", () => {
    const timing = manualTiming();
    const announcer = createAnnouncer(timing);
    announcer.announce(["main started"]);
    announcer.announce(["a started", "b started"]);
    announcer.announce(["c started", "d started"]);
    assert.equal(announcer.latest.value.text, "main started.");
    timing.runLater();
    assert.equal(announcer.latest.value.text, "a started. b started. c started. 1 more change.");
    announcer.announce(["a done", "b done", "c done", "d done", "main done"]);
    timing.runLater();
    assert.equal(announcer.latest.value.text, "a done. b done. c done. 2 more changes.");
  });

  it("are each an announcement of their own, in the same words too", () => {
    const timing = manualTiming();
    const announcer = createAnnouncer(timing);
    announcer.announce(["No results"]);
    const before = announcer.latest.value;
    timing.runLater();
    announcer.announce(["No results"]);
    assert.deepEqual(announcer.latest.value, { text: before.text, number: before.number + 1 });
  });

  it("end as sentences do, whatever ends they had", () => {
    const announcer = createAnnouncer(manualTiming());
    announcer.announce(["main asks: Which one?", "main is paused: budget reached", "docs done"]);
    assert.equal(announcer.latest.value.text, "main asks: Which one? main is paused: budget reached. docs done.");
  });
});
