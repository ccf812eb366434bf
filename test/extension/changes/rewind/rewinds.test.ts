import assert from "node:assert/strict";
import type { AgentMessage } from "../../../../src/agent/types.ts";
import { Checkpoints } from "../../../../src/extension/changes/rewind/checkpoints.ts";
import type { RewindQuestion } from "../../../../src/extension/changes/rewind/rewindQuestion.ts";
import { type RewindDependencies, Rewinds, rewoundNote } from "../../../../src/extension/changes/rewind/rewinds.ts";
import { UserError } from "../../../../src/extension/common/userError.ts";
import type { HostEvent, RewindTarget } from "../../../../src/protocol/hostEvents.ts";
import { applying } from "../support/applying.ts";
import { imagedTexts, memoryStorage } from "../support/checkpointing.ts";

const text = "one\ntwo\nthree\n";
const removed: AgentMessage[] = [{ role: "user", id: "m", content: [], timestamp: 0 }];

const sentSince: AgentMessage = { role: "user", id: "since", content: [], timestamp: 0 };

/** A chat whose agent changed a.ts after the message `m`, and nothing after the message `later`. */
async function rewinding(answer: RewindTarget | "asked" | "no" = "asked") {
  const session = applying({ "a.ts": text });
  const given = memoryStorage();
  const open = () =>
    new Checkpoints({ storage: given.storage, files: imagedTexts(session.workspace), warn: assert.fail });
  const checkpoints = open();
  const write = async (from: string, to: string, agents = ["main"]) => {
    await checkpoints.beforeChange(["a.ts"], agents);
    await session.edit("a.ts", from, to, agents.join("/"));
    await checkpoints.afterChange(["a.ts"]);
  };
  checkpoints.begin("m");
  await write("two", "2");
  checkpoints.begin("later");
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
      return { messages: transcript.splice(0), after: "", seq: 7 };
    },
    putBack: async (messages: readonly AgentMessage[]) => void transcript.unshift(...messages),
    hasMessage: (messageId: string) => transcript.some(({ id }) => id === messageId),
    emit: (event: HostEvent) => void events.push(event),
  };
  const conflicts: string[][] = [];
  const notes: string[] = [];
  /** What happens while a question is shown. */
  const meanwhile = { happens: () => {}, happensBeforeWriting: () => {} };
  const dependenciesOf = (known: Checkpoints): RewindDependencies => ({
    checkpoints: {
      ...{ ...bound(known), lostSince: async () => lost },
      rewind: (...args) => {
        meanwhile.happensBeforeWriting();
        return known.rewind(...args);
      },
      undoRewind: (...args) => {
        meanwhile.happensBeforeWriting();
        return known.undoRewind(...args);
      },
    },
    applied: session.reviews,
    confirm: async (question) => {
      questions.push(question);
      meanwhile.happens();
      if (answer === "no") return undefined;
      return answer === "asked" ? question.choices[0]?.what : answer;
    },
    inTurn: (step) => step(),
    onConflicts: async (found, branch) => void conflicts.push([branch, ...found.map(({ path }) => path)]),
    onFiles: async (_, rewound, paths) => void notes.push(rewoundNote(paths, rewound)),
  });
  const rewinds = new Rewinds(dependenciesOf(checkpoints));
  /** As after the window was opened again: what is known is what was kept. */
  const reopened = (of: typeof chat & { isReadOnly?: boolean } = chat) => {
    const later = new Rewinds(dependenciesOf(open()));
    const last = events.findLast((event) => event.type === "rewind_changed");
    const known = last?.undoable === undefined ? [] : [...(last.earlier ?? []), last.undoable];
    const adopted = later.adopt(
      known.map((rewind) => ({ rewind, messages: async () => removed })),
      of,
    );
    return { adopted, undo: () => adopted.then(() => later.undo(of)) };
  };
  const ofChat = {
    rewind: (messageId: string, what: RewindTarget) => rewinds.rewind(chat, messageId, what),
    resend: (messageId: string) => rewinds.rewind(chat, messageId, "both", true),
    undo: () => rewinds.undo(chat),
    undoBranch: (agentId: string) =>
      rewinds.undoBranch(chat, () => {
        if (chat.isRunning) throw new UserError("One of them works.");
        return { agentId, name: agentId };
      }),
  };
  const undoable = () => {
    const last = events.findLast((event) => event.type === "rewind_changed");
    return [...(last?.earlier ?? []), ...(last?.undoable === undefined ? [] : [last.undoable])].map(
      ({ messageId, what }) => `${messageId}: ${what}`,
    );
  };
  return {
    ...session,
    ...{ rewinds: ofChat, reopened, chat, checkpoints, write, undoable, blobs: given.blobs },
    ...{ events, questions, transcript, after, lost, meanwhile, conflicts, notes },
  };
}

function bound(checkpoints: Checkpoints) {
  return {
    planRewind: checkpoints.planRewind.bind(checkpoints),
    planBranch: checkpoints.planBranch.bind(checkpoints),
    undoBranch: checkpoints.undoBranch.bind(checkpoints),
    planUndo: checkpoints.planUndo.bind(checkpoints),
    forgetRewind: checkpoints.forgetRewind.bind(checkpoints),
    recheck: checkpoints.recheck.bind(checkpoints),
    loadMarks: checkpoints.loadMarks.bind(checkpoints),
  };
}

describe("a rewind to a message", () => {
  it("asks once and names the files", async () => {
    const { rewinds, questions } = await rewinding();
    await rewinds.rewind("m", "both");
    assert.equal(questions.length, 1);
    assert.match(questions[0]?.detail ?? "", /a\.ts/);
    assert.match(questions[0]?.detail ?? "", /Not restored: ignored files, background commands, other programs/);
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

  it("asks nothing for a message that is edited after which no file was changed", async () => {
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
    const { rewinds, textOf, transcript, pending, undoable, after } = await rewinding("conversation");
    await rewinds.rewind("m", "both");
    assert.deepEqual([textOf("a.ts"), transcript, pending().length], [after, [], 1]);
    assert.deepEqual(undoable(), ["m: conversation"]);
    await rewinds.undo();
    assert.deepEqual([textOf("a.ts"), transcript], [after, removed]);
  });

  it("takes the files back and leaves the conversation when that is chosen", async () => {
    const { rewinds, textOf, transcript, undoable, after } = await rewinding("files");
    await rewinds.rewind("m", "both");
    assert.deepEqual([textOf("a.ts"), transcript], [text, removed]);
    assert.deepEqual(undoable(), ["m: files"]);
    await rewinds.undo();
    assert.equal(textOf("a.ts"), after);
  });

  it("takes files, conversation and pending edits back, and gives all of them again", async () => {
    const { rewinds, checkpoints, textOf, transcript, pending, events, undoable, after } = await rewinding();
    await rewinds.rewind("m", "both");
    assert.deepEqual([textOf("a.ts"), transcript, pending()], [text, [], []]);
    assert.equal((await checkpoints.allMarks()).length, 1);
    await rewinds.undo();
    assert.deepEqual(await checkpoints.allMarks(), []);
    assert.deepEqual([textOf("a.ts"), transcript, pending().length], [after, removed, 1]);
    assert.deepEqual(
      events.map((event) => event.type === "rewind_changed" && event.undoable?.underWay),
      ["rewind", undefined, "undo", undefined],
    );
    assert.deepEqual(undoable(), []);
  });

  it("gives what waited for Keep or Undo again after the window was opened again", async () => {
    const { rewinds, reopened, pending, store, textOf, after, transcript } = await rewinding();
    const before = pending();
    await rewinds.rewind("m", "both");
    assert.deepEqual(store.files, []);
    await reopened().undo();
    assert.equal(textOf("a.ts"), after);
    assert.deepEqual(pending(), before);
    assert.deepEqual(transcript, removed);
  });

  it("that found no file to restore leaves those of an earlier one alone when it is undone", async () => {
    const { rewinds, textOf } = await rewinding();
    await rewinds.rewind("m", "files");
    await rewinds.rewind("later", "both");
    await rewinds.undo();
    assert.equal(textOf("a.ts"), text);
  });

  it("brings the rest back where what waited is lost", async () => {
    const { reopened, rewinds, textOf, after, pending, blobs } = await rewinding();
    const before = new Set(blobs.keys());
    await rewinds.rewind("m", "both");
    for (const [name, bytes] of blobs) {
      if (!before.has(name) && new TextDecoder().decode(bytes).startsWith("{")) blobs.set(name, Uint8Array.of(0));
    }
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
    const { rewinds, chat, textOf, after, pending, events, undoable } = await rewinding();
    chat.isForgetful = true;
    await assert.rejects(rewinds.rewind("m", "both"));
    assert.equal(textOf("a.ts"), after);
    assert.equal(pending().length, 1);
    assert.deepEqual([events.length > 0, undoable()], [true, []]);
  });

  it("that another window makes just now is left to that window", async () => {
    const { rewinds, chat, reopened, events } = await rewinding();
    await rewinds.rewind("m", "files");
    const [made] = events.flatMap((event) => (event.type === "rewind_changed" ? [event] : []));
    assert.equal(made?.undoable?.underWay, "rewind");
    events.splice(0, events.length, made ?? assert.fail());
    await reopened({ ...chat, isReadOnly: true }).adopted;
    assert.equal(events.length, 1);
    await reopened().adopted;
    assert.equal(events.length, 2);
  });

  it("is refused while agents run and for a message nothing is known of", async () => {
    const { rewinds, chat, questions } = await rewinding();
    await assert.rejects(rewinds.rewind("other", "files"), /No file contents were recorded/);
    chat.isRunning = true;
    await assert.rejects(rewinds.rewind("m", "files"), /Stop the agents first/);
    assert.deepEqual(questions, []);
  });

  it("can be undone after further messages, and leaves what came of them", async () => {
    const { rewinds, reopened, textOf, transcript, write, checkpoints } = await rewinding();
    await rewinds.rewind("m", "both");
    checkpoints.begin("since");
    transcript.push(sentSince);
    await write("three", "3");
    await reopened().undo();
    assert.equal(textOf("a.ts"), "one\n2\n3\n");
    assert.deepEqual(transcript, [...removed, sentSince]);
  });

  it("can be undone after another one, the latest first", async () => {
    const { rewinds, reopened, textOf, transcript, undoable, after } = await rewinding();
    await rewinds.rewind("m", "files");
    await rewinds.rewind("later", "conversation");
    assert.deepEqual(undoable(), ["m: files", "later: conversation"]);
    const again = reopened();
    await again.undo();
    assert.deepEqual([textOf("a.ts"), transcript, undoable()], [text, removed, ["m: files"]]);
    await again.undo();
    assert.equal(textOf("a.ts"), after);
    await assert.rejects(again.undo(), /no rewind to undo/);
  });

  it("leaves what the user changed elsewhere, and names the lines that give way", async () => {
    const { rewinds, questions, textOf, type } = await rewinding();
    type("a.ts", "mine\none\n2 and mine\nthree\nmore\n");
    await rewinds.rewind("m", "files");
    assert.match(questions[0]?.detail ?? "", /\na\.ts: line 3 that you changed\n\nYour other changes .* stay\./s);
    assert.equal(textOf("a.ts"), "mine\none\ntwo\nthree\nmore\n");
    await rewinds.undo();
    assert.equal(textOf("a.ts"), "mine\none\n2 and mine\nthree\nmore\n");
    assert.equal(questions.length, 1, "to undo it loses nothing");
  });

  it("asks before its undo replaces what the user changed since", async () => {
    const { rewinds, questions, textOf, type } = await rewinding();
    await rewinds.rewind("m", "files");
    type("a.ts", "one\nmine\nalso\nthree\n");
    await rewinds.undo();
    assert.equal(questions.length, 2);
    assert.match(questions[1]?.detail ?? "", /a\.ts: lines 2–3 that you changed/);
    assert.equal(textOf("a.ts"), "one\n2\nthree\n");
  });

  it("asks again when the user changed more while the question was shown", async () => {
    const { rewinds, questions, type, textOf, meanwhile } = await rewinding();
    meanwhile.happens = () => {
      meanwhile.happens = () => {};
      type("a.ts", "one\nmine\nthree\n");
    };
    await rewinds.rewind("m", "files");
    assert.deepEqual(
      questions.map(({ detail }) => detail.includes("a.ts: line 2 that you changed")),
      [false, true],
    );
    assert.equal(textOf("a.ts"), text);
  });
});

describe("what is typed just as files are rewound", () => {
  it("is named in another question before it is replaced, and so is what is typed as the rewind is undone", async () => {
    const { rewinds, questions, type, textOf, meanwhile, after } = await rewinding();
    const typeOnce = (typed: string) => {
      meanwhile.happensBeforeWriting = () => {
        meanwhile.happensBeforeWriting = () => {};
        type("a.ts", typed);
      };
    };
    typeOnce("one\nmine\nthree\n");
    await rewinds.rewind("m", "files");
    const named = () => questions.map(({ detail }) => detail.includes("a.ts: line 2 that you changed"));
    assert.deepEqual([named(), textOf("a.ts")], [[false, true], text]);
    typeOnce("one\nmore\nthree\n");
    await rewinds.undo();
    assert.deepEqual([named(), textOf("a.ts")], [[false, true, true], after.replace("2", "mine")]);
  });
});

describe("undoing a branch's changes", () => {
  it("asks once, takes out what waited for Keep or Undo, and says so to the chat and its agents", async () => {
    const { rewinds, write, textOf, pending, questions, events, notes, conflicts } = await rewinding();
    await write("three", "3", ["main", "tests"]);
    await rewinds.undoBranch("tests");
    assert.equal(questions.length, 1);
    assert.equal(questions[0]?.message, "Undo what tests and its agents changed?");
    assert.match(questions[0]?.detail ?? "", /These files will change:\na\.ts/);
    assert.equal(textOf("a.ts"), "one\n2\nthree\n");
    assert.deepEqual(
      pending().map(({ hunk }) => hunk.author.agentPath.join("/")),
      ["main"],
    );
    const last = events.findLast((event) => event.type === "rewind_changed");
    assert.deepEqual(last?.undoable?.branch, { agentId: "tests", name: "tests" });
    assert.match(notes.join(), /^The user undid what tests and the agents that it started changed, in a\.ts\./);
    assert.deepEqual(conflicts, [["tests"]]);
  });

  it("comes back with its redo after the window was opened again, with what waited", async () => {
    const { rewinds, reopened, write, textOf, pending } = await rewinding();
    await write("three", "3", ["main", "tests"]);
    const [before, waiting] = [textOf("a.ts"), pending().length];
    await rewinds.undoBranch("tests");
    await reopened().undo();
    assert.deepEqual([textOf("a.ts"), pending().length], [before, waiting]);
  });

  it("names and shows what others built on, and what cannot be attributed, and leaves both", async () => {
    const { rewinds, write, textOf, questions, conflicts, checkpoints } = await rewinding();
    await write("three", "3", ["main", "tests"]);
    await write("3", "3 and a half", ["main", "docs"]);
    const moment = (await checkpoints.moment()) ?? assert.fail();
    await checkpoints.addChanges(moment, new Map(), ["big.bin"]);
    const before = textOf("a.ts");
    await rewinds.undoBranch("tests");
    assert.equal(textOf("a.ts"), before);
    assert.match(questions[0]?.detail ?? "", /Built on by others.*\na\.ts/s);
    assert.match(questions[0]?.detail ?? "", /Changed by commands.*\nbig\.bin/s);
    assert.deepEqual(conflicts, [["tests", "a.ts"]]);
  });

  it("is refused while one of them works and where nothing is left, and changes nothing without a yes", async () => {
    const { rewinds, chat } = await rewinding();
    await assert.rejects(rewinds.undoBranch("tests"), /Nothing is left of what tests and its agents changed/);
    chat.isRunning = true;
    await assert.rejects(rewinds.undoBranch("main"), /One of them works/);
    const declined = await rewinding("no");
    await declined.rewinds.undoBranch("main");
    assert.equal(declined.textOf("a.ts"), declined.after);
  });

  it("includes what the user typed while the question was shown", async () => {
    const { rewinds, type, textOf, meanwhile } = await rewinding();
    meanwhile.happens = () => type("a.ts", "one\n2\nthree\ntyped\n");
    await rewinds.undoBranch("main");
    assert.equal(textOf("a.ts"), "one\ntwo\nthree\ntyped\n");
  });
});
