import assert from "node:assert/strict";
import fc from "fast-check";
import { type AgentMessage, type LlmMessage, textOf } from "../../../src/agent/vocabulary/messages.ts";
import { defaultConvertToLlm, repairTranscript, sinceCheckpoint } from "../../../src/agent/vocabulary/projection.ts";
import { assistant, user } from "../../support/events.ts";
import { calling, result, summary, toolCall } from "../../support/messages.ts";

const ids = (messages: readonly { id: string }[]) => messages.map((message) => message.id);

describe("repairTranscript", () => {
  it("C13: an answer that failed or was aborted is left out", () => {
    const failed = { ...assistant("failed", "half"), stopReason: "error" as const };
    const aborted = { ...assistant("aborted", "half"), stopReason: "aborted" as const };
    assert.deepEqual(ids(repairTranscript([user("u", "hi"), failed, aborted, user("v", "again")])), ["u", "v"]);
  });

  it("C13: results of calls in an answer that is left out go with it", () => {
    const aborted = { ...calling("a", toolCall("1")), stopReason: "aborted" as const };
    assert.deepEqual(ids(repairTranscript([user("u", "hi"), aborted, result("1", "late")])), ["u"]);
  });

  it("C14: a call without a result gets an error result before the next message", () => {
    const repaired = repairTranscript([user("u", "hi"), calling("a", toolCall("1", "read")), user("v", "and?")]);
    assert.deepEqual(
      repaired.map((message) => message.role),
      ["user", "assistant", "toolResult", "user"],
    );
    const [, , inserted] = repaired;
    assert.ok(inserted?.role === "toolResult");
    assert.deepEqual([inserted.callId, inserted.toolName, inserted.isError], ["1", "read", true]);
  });

  it("C14: only the calls that lack a result get one, in the order of the calls", () => {
    const messages = [
      calling("a", toolCall("1"), toolCall("2"), toolCall("3")),
      result("3", "three"),
      result("1", "one"),
    ];
    const repaired = repairTranscript(messages);
    assert.deepEqual(
      repaired
        .slice(1)
        .map((message) => [message.role === "toolResult" && message.callId, textOf(message).slice(0, 5)]),
      [
        ["1", "one"],
        ["2", "This "],
        ["3", "three"],
      ],
    );
  });

  it("C14: ids that a server gives again in a later answer do not mix up the results", () => {
    const messages = [
      calling("a", toolCall("0")),
      result("0", "first"),
      calling("b", toolCall("0")),
      result("0", "second"),
    ];
    assert.deepEqual(repairTranscript(messages).map(textOf), ["", "first", "", "second"]);
  });

  it("C14: a result never answers a call of an earlier answer, even when the ids are the same", () => {
    const messages = [
      calling("a", toolCall("0")),
      user("u", "go on"),
      calling("b", toolCall("0")),
      result("0", "second"),
    ];
    assert.deepEqual(
      repairTranscript(messages).map((message) => message.role === "toolResult" && message.isError),
      [false, true, false, false, false],
    );
  });

  it("reads each message a few times, however long the transcript is", () => {
    const messages = Array.from({ length: 500 }, (_, turn) => [
      calling(`a${turn}`, toolCall(`${turn}`)),
      result(`${turn}`, "done"),
    ]).flat();
    let reads = 0;
    const counting = new Proxy(messages, {
      get(target, key) {
        if (typeof key === "string" && /^\d+$/.test(key)) reads += 1;
        return Reflect.get(target, key);
      },
    });
    assert.equal(repairTranscript(counting).length, messages.length);
    assert.ok(reads < 4 * messages.length, `${reads} reads of ${messages.length} messages`);
  });

  it("finds the results of calls that overlapped over several answers", () => {
    const messages = [
      calling("a", toolCall("1")),
      calling("b", toolCall("2")),
      result("2", "second"),
      result("1", "first"),
    ];
    assert.deepEqual(repairTranscript(messages).map(textOf), ["", "first", "", "second"]);
  });

  it("E51: a transcript that ends with unanswered calls is one the model accepts", () => {
    const repaired = repairTranscript([user("u", "hi"), calling("a", toolCall("1"), toolCall("2"))]);
    assert.deepEqual(
      repaired.map((message) => message.role),
      ["user", "assistant", "toolResult", "toolResult"],
    );
  });

  it("leaves a sound transcript as it is, message by message", () => {
    const sound = [user("u", "hi"), calling("a", toolCall("1")), result("1", "one"), assistant("b", "done")];
    const repaired = repairTranscript(sound);
    assert.ok(repaired.length === sound.length && repaired.every((message, index) => message === sound[index]));
  });

  it("C14: gives every call exactly one result right after its answer, whatever was lost", () => {
    fc.assert(
      fc.property(fc.array(anyMessage(), { maxLength: 30 }), (messages) => {
        const repaired = repairTranscript(messages);
        let open: string[] = [];
        for (const message of repaired) {
          if (message.role === "toolResult") assert.equal(message.callId, open.shift());
          else assert.deepEqual(open, []);
          if (message.role === "assistant") {
            open = message.content.flatMap((part) => (part.type === "toolCall" ? [part.id] : []));
          }
        }
        assert.deepEqual(open, []);
      }),
    );
  });
});

function anyMessage(): fc.Arbitrary<LlmMessage> {
  const id = fc.constantFrom("1", "2", "3");
  return fc.oneof(
    fc.constant(user("u", "text")),
    id.map((callId) => result(callId, "ok")),
    fc
      .record({ calls: fc.uniqueArray(id), stopReason: fc.constantFrom("stop" as const, "error" as const) })
      .map(({ calls, stopReason }) => ({ ...calling("a", ...calls.map((call) => toolCall(call))), stopReason })),
  );
}

describe("defaultConvertToLlm", () => {
  it("E36: shows the answer of another agent as a user message with its sender", () => {
    const response: AgentMessage = {
      role: "agentResponse",
      id: "r",
      from: { id: "w1", name: "worker" },
      text: "42",
      timestamp: 0,
    };
    const [projected] = defaultConvertToLlm([response]);
    assert.ok(projected?.role === "user");
    assert.equal(textOf(projected), "Response from worker: 42");
  });

  it("shows a summary as a user message that holds its text", () => {
    const [projected] = defaultConvertToLlm([summary("s", "what was done")]);
    assert.ok(projected?.role === "user");
    assert.match(textOf(projected), /compacted.*what was done.*go on/is);
  });

  it("C37: drops messages that only an application knows", () => {
    // A role that the union gets by declaration merging elsewhere; here it represents any of them.
    const note = { role: "note", id: "n", timestamp: 0 } as unknown as AgentMessage;
    assert.deepEqual(ids(defaultConvertToLlm([user("u", "hi"), note, assistant("a", "yes")])), ["u", "a"]);
  });
});

describe("sinceCheckpoint", () => {
  const transcript = [user("1", "a"), assistant("2", "b"), user("3", "c"), assistant("4", "d")];

  it("E55: shows the last summary, then the messages it kept, then what came later", () => {
    assert.deepEqual(ids(sinceCheckpoint([...transcript, summary("s", "ab", "3"), user("5", "e")])), [
      "s",
      "3",
      "4",
      "5",
    ]);
  });

  it("shows nothing before a summary that kept nothing", () => {
    assert.deepEqual(ids(sinceCheckpoint([...transcript, summary("s", "abcd"), user("5", "e")])), ["s", "5"]);
  });

  it("never shows an earlier summary beside the last one", () => {
    const twice = [...transcript, summary("s", "ab", "3"), user("5", "e"), summary("t", "abc", "4")];
    assert.deepEqual(ids(sinceCheckpoint(twice)), ["t", "4", "5"]);
  });

  it("shows everything where there is no summary", () => {
    assert.deepEqual(sinceCheckpoint(transcript), transcript);
  });

  it("shows the same when it is asked about its own answer", () => {
    const view = sinceCheckpoint([...transcript, summary("s", "ab", "3"), user("5", "e")]);
    assert.deepEqual(ids(sinceCheckpoint(view)), ids(view));
  });
});
