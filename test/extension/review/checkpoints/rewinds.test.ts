import assert from "node:assert/strict";
import type { AgentMessage } from "../../../../src/agent/types.ts";
import {
  type RewindDependencies,
  type RewindQuestion,
  Rewinds,
} from "../../../../src/extension/review/checkpoints/rewinds.ts";
import type { HostEvent, RewindTarget } from "../../../../src/protocol/hostEvents.ts";
import { applying } from "../support/applying.ts";

const text = "one\ntwo\nthree\n";
const removed: AgentMessage[] = [{ role: "user", id: "m", content: [], timestamp: 0 }];

/** A chat whose agent changed a.ts after the message `m`. */
async function rewinding(answer: RewindTarget | "asked" | "no" = "asked") {
  const session = applying({ "a.ts": text });
  await session.edit("a.ts", "two", "2");
  const after = session.textOf("a.ts") ?? "";
  const events: HostEvent[] = [];
  const questions: RewindQuestion[] = [];
  const transcript: AgentMessage[] = [...removed];
  const lost: string[] = [];
  const chat = {
    isRunning: false,
    isForgetful: false,
    rewindTo: async (messageId: string) => {
      if (chat.isForgetful) throw new Error(`No ${messageId}.`);
      return transcript.splice(0);
    },
    putBack: (messages: readonly AgentMessage[]) => void transcript.push(...messages),
    emit: (event: HostEvent) => void events.push(event),
  };
  let marks: string | undefined;
  const dependencies: RewindDependencies = {
    checkpoints: {
      keepWithUndo: async (kept) => {
        marks = kept;
      },
      keptWithUndo: async (messageId) => (messageId === "m" ? marks : undefined),
      changedSince: async (messageId) => (messageId === "m" ? ["a.ts"] : messageId === "later" ? [] : undefined),
      lostSince: async () => lost,
      rewind: async () => {
        session.workspace.type("a.ts", text);
        return ["a.ts"];
      },
      undoRewind: async (messageId) => {
        if (messageId !== "m") return [];
        session.workspace.type("a.ts", after);
        return ["a.ts"];
      },
    },
    applied: session.reviews,
    confirm: async (question) => {
      questions.push(question);
      if (answer === "no") return undefined;
      return answer === "asked" ? question.choices[0]?.what : answer;
    },
    inTurn: (step) => step(),
  };
  const rewinds = new Rewinds(dependencies);
  /** As after the window was opened anew: what is known is what was kept. */
  const reopened = () => {
    const later = new Rewinds(dependencies);
    later.adopt({ messageId: "m", what: "both", messages: async () => removed }, chat);
    return { undo: () => later.undo(chat) };
  };
  const ofChat = {
    rewind: (messageId: string, what: RewindTarget) => rewinds.rewind(chat, messageId, what),
    resend: (messageId: string) => rewinds.rewind(chat, messageId, "both", true),
    undo: () => rewinds.undo(chat),
    forget: () => rewinds.forget(),
  };
  const loseMarks = () => {
    marks = undefined;
  };
  return { ...session, loseMarks, rewinds: ofChat, reopened, chat, events, questions, transcript, after, lost };
}

describe("a rewind to a message", () => {
  it("asks once and names the files", async () => {
    const { rewinds, questions } = await rewinding();
    await rewinds.rewind("m", "both");
    assert.equal(questions.length, 1);
    assert.match(questions[0]?.detail ?? "", /a\.ts/);
    assert.match(questions[0]?.detail ?? "", /background commands or other programs/);
    assert.doesNotMatch(questions[0]?.detail ?? "", /can't be restored/);
  });

  it("says which files that a command changed can't be restored", async () => {
    const { rewinds, questions, lost } = await rewinding();
    lost.push("big.bin", "data/huge.json");
    await rewinds.rewind("m", "both");
    assert.match(
      questions[0]?.detail ?? "",
      /2 files that a command changed can't be restored:\nbig\.bin\ndata\/huge\.json/,
    );
  });

  it("asks nothing for a message that is written anew after which no file was changed", async () => {
    const { rewinds, questions, transcript, lost } = await rewinding();
    await rewinds.resend("later");
    assert.deepEqual([questions, transcript], [[], []]);
    await rewinds.undo();
    lost.push("big.bin");
    await rewinds.resend("later");
    await rewinds.resend("m");
    assert.equal(questions.length, 2);
  });

  it("changes nothing without a yes", async () => {
    const { rewinds, textOf, transcript, events, after } = await rewinding("no");
    await rewinds.rewind("m", "both");
    assert.equal(textOf("a.ts"), after);
    assert.deepEqual([transcript.length, events], [1, []]);
  });

  it("offers one of both alone where both could go back", async () => {
    const { rewinds, questions } = await rewinding("no");
    await rewinds.rewind("m", "both");
    await rewinds.rewind("m", "files");
    await rewinds.rewind("unknown", "both");
    assert.deepEqual(
      questions.map(({ choices }) => choices.map(({ button, what }) => `${button}: ${what}`)),
      [["Rewind: both", "Conversation only: conversation", "Files only: files"], ["Rewind: files"], ["Rewind: both"]],
    );
  });

  it("takes the conversation back and leaves files and pending edits when that is chosen", async () => {
    const { rewinds, textOf, transcript, pending, events, after } = await rewinding("conversation");
    await rewinds.rewind("m", "both");
    assert.deepEqual([textOf("a.ts"), transcript, pending().length], [after, [], 1]);
    assert.deepEqual(events, [{ type: "rewind_changed", undoable: { messageId: "m", what: "conversation" } }]);
    await rewinds.undo();
    assert.deepEqual([textOf("a.ts"), transcript], [after, removed]);
  });

  it("takes the files back and leaves the conversation when that is chosen", async () => {
    const { rewinds, textOf, transcript, events, after } = await rewinding("files");
    await rewinds.rewind("m", "both");
    assert.deepEqual([textOf("a.ts"), transcript], [text, removed]);
    assert.deepEqual(events, [{ type: "rewind_changed", undoable: { messageId: "m", what: "files" } }]);
    await rewinds.undo();
    assert.equal(textOf("a.ts"), after);
  });

  it("takes files, conversation and pending edits back, and gives all of them again", async () => {
    const { rewinds, textOf, transcript, pending, events, after } = await rewinding();
    await rewinds.rewind("m", "both");
    assert.deepEqual([textOf("a.ts"), transcript, pending()], [text, [], []]);
    await rewinds.undo();
    assert.deepEqual([textOf("a.ts"), transcript, pending().length], [after, removed, 1]);
    assert.deepEqual(events, [
      { type: "rewind_changed", undoable: { messageId: "m", what: "both" } },
      { type: "rewind_changed" },
    ]);
  });

  it("gives what waited for Keep or Undo again after the window was opened anew", async () => {
    const { rewinds, reopened, pending, store, textOf, after, transcript } = await rewinding();
    const before = pending();
    await rewinds.rewind("m", "both");
    assert.deepEqual(store.files, []);
    await reopened().undo();
    assert.equal(textOf("a.ts"), after);
    assert.deepEqual(pending(), before);
    assert.deepEqual(transcript, removed);
  });

  it("that found no file to take back leaves those of an earlier one alone when it is undone", async () => {
    const { rewinds, textOf } = await rewinding();
    await rewinds.rewind("m", "files");
    await rewinds.rewind("later", "both");
    await rewinds.undo();
    assert.equal(textOf("a.ts"), text);
  });

  it("brings the rest back where what waited is lost", async () => {
    const { reopened, rewinds, textOf, after, pending, loseMarks } = await rewinding();
    await rewinds.rewind("m", "both");
    loseMarks();
    await reopened().undo();
    assert.equal(textOf("a.ts"), after);
    assert.deepEqual(pending(), []);
  });

  it("of files alone leaves the conversation, and of the conversation alone the files", async () => {
    const files = await rewinding();
    await files.rewinds.rewind("m", "files");
    assert.deepEqual([files.textOf("a.ts"), files.transcript.length], [text, 1]);
    const conversation = await rewinding();
    await conversation.rewinds.rewind("m", "conversation");
    assert.deepEqual([conversation.textOf("a.ts"), conversation.transcript.length], [conversation.after, 0]);
  });

  it("puts the files back when the conversation can't be rewound", async () => {
    const { rewinds, chat, textOf, after, pending } = await rewinding();
    chat.isForgetful = true;
    await assert.rejects(rewinds.rewind("m", "both"));
    assert.equal(textOf("a.ts"), after);
    assert.equal(pending().length, 1);
  });

  it("is refused while agents run and for a message nothing is known of", async () => {
    const { rewinds, chat, questions } = await rewinding();
    await assert.rejects(rewinds.rewind("other", "files"), /Nothing is known/);
    chat.isRunning = true;
    await assert.rejects(rewinds.rewind("m", "files"), /Stop the agents first/);
    assert.deepEqual(questions, []);
  });

  it("can't be undone after the next message", async () => {
    const { rewinds } = await rewinding();
    await rewinds.rewind("m", "both");
    rewinds.forget();
    await assert.rejects(rewinds.undo(), /no rewind to undo/);
  });
});
