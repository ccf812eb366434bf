import assert from "node:assert/strict";
import fc from "fast-check";
import type { Intent } from "../../../../src/protocol/messages.ts";
import type { SlashCommand, Suggestion } from "../../../../src/protocol/suggestions.ts";
import {
  completedText,
  createCompletion,
  type RunningAgent,
  triggerAt,
  withoutMention,
} from "../../../../src/webview/features/composer/completion.ts";

const commands: SlashCommand[] = [
  { name: "explain", description: "Explain", takesText: true },
  { name: "export", description: "Export", takesText: false },
  { name: "new", description: "New chat", takesText: false },
];

/** `|` is the caret. */
function trigger(marked: string) {
  const caret = marked.indexOf("|");
  return triggerAt(marked.replace("|", ""), caret);
}

describe("what is typed at the caret", () => {
  it("is a mention where an @ begins a word", () => {
    assert.deepEqual(trigger("see @src/a|.ts now"), { kind: "mention", start: 4, end: 13, query: "src/a" });
    assert.deepEqual(trigger("@|"), { kind: "mention", start: 0, end: 1, query: "" });
    assert.deepEqual(trigger("(@a|"), { kind: "mention", start: 1, end: 3, query: "a" });
    assert.deepEqual(trigger('@"my fi|'), { kind: "mention", start: 0, end: 7, query: "my fi" });
    assert.deepEqual(trigger("two\n@lines|"), { kind: "mention", start: 4, end: 10, query: "lines" });
  });

  it("is a symbol after @#", () => {
    assert.deepEqual(trigger("fix @#comp|"), { kind: "symbol", start: 4, end: 10, query: "comp" });
  });

  it("is a command after a slash at the start, and nowhere else", () => {
    assert.deepEqual(trigger("/ex|"), { kind: "command", start: 0, end: 3, query: "ex" });
    for (const text of [" /ex|", "a /ex|", "/ex plain|", "/src/a|", "\n/ex|"])
      assert.equal(trigger(text), undefined, text);
  });

  it("is nothing in an address, after a word has ended, or before the sign", () => {
    for (const text of ["me@example|", "@a b|", "|@a", "a|", "@a@b|"]) assert.equal(trigger(text), undefined, text);
  });

  it("lies around the caret, whatever is typed", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("@", "#", "/", '"', " ", "a", "\n", "(", ".") }),
        fc.nat(),
        (text, at) => {
          const caret = at % (text.length + 1);
          const found = triggerAt(text, caret);
          if (found === undefined) return;
          assert.ok(found.start < caret && caret <= found.end && found.end <= text.length);
          assert.match(text.charAt(found.start), /[@/]/);
        },
      ),
    );
  });

  it("is replaced by a mention that ends where it should", () => {
    const of = (mention: string) =>
      completedText({ kind: "mention", key: "", suggestion: { attachment: { kind: "diff" }, label: "", mention } });
    assert.equal(of("src/a.ts"), "@src/a.ts ");
    assert.equal(of("my file.ts"), '@"my file.ts" ');
  });

  it("goes again with what it attached, and takes nothing else along", () => {
    assert.equal(withoutMention("@a.ts, x@a.ts @a.tsx @a.ts", "a.ts"), ", x@a.ts @a.tsx ");
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), (text, name) => {
        if (!text.includes("@")) assert.equal(withoutMention(text, name), text);
      }),
    );
  });
});

function completing(running: RunningAgent[] = []) {
  const posted: Intent[] = [];
  const subject = createCompletion({
    post: (intent) => posted.push(intent),
    commands: () => commands,
    runningAgents: () => running,
  });
  const labels = () =>
    subject.list.value?.items.map((item) => (item.kind === "command" ? item.command.name : item.suggestion.label));
  return { subject, posted, labels };
}

const suggestion = (label: string): Suggestion => ({
  attachment: { kind: "file", path: label },
  label,
  mention: label,
});

describe("the list of completions", () => {
  it("asks with each letter, and shows the answer to the last question alone", () => {
    const { subject, posted, labels } = completing();
    subject.follow("@a", 2);
    subject.follow("@ab", 3);
    assert.deepEqual(posted, [
      { type: "suggest", requestId: "1", kind: "mention", query: "a" },
      { type: "suggest", requestId: "2", kind: "mention", query: "ab" },
    ]);
    subject.receive("1", [suggestion("old")]);
    assert.equal(labels(), undefined);
    subject.receive("2", [suggestion("abc")]);
    assert.deepEqual(labels(), ["abc"]);
  });

  it("stays as it was until the next answer, so that it does not flicker", () => {
    const { subject, labels } = completing();
    subject.follow("@a", 2);
    subject.receive("1", [suggestion("abc")]);
    subject.follow("@ab", 3);
    assert.deepEqual(labels(), ["abc"]);
    subject.receive("2", []);
    assert.equal(labels(), undefined);
  });

  it("loses at once what can't be meant any more, so that Enter never takes it", () => {
    const { subject, labels } = completing();
    subject.follow("@a.ts", 5);
    subject.receive("1", [suggestion("a.ts"), suggestion("sub/a.ts.md")]);
    subject.follow("@a.ts.", 6);
    assert.deepEqual(labels(), ["sub/a.ts.md"]);
    subject.follow("@a.ts..", 7);
    assert.equal(labels(), undefined);
  });

  it("keeps what is chosen when the rest of an answer comes, and begins at the top with another answer", () => {
    const { subject, labels } = completing();
    const chosen = () => labels()?.[subject.list.value?.active ?? -1];
    subject.follow("@", 1);
    subject.receive("1", [suggestion("open"), suggestion("recent")]);
    subject.receive("1", [suggestion("best"), suggestion("open"), suggestion("recent")]);
    assert.equal(chosen(), "open", "what Enter takes does not change under the finger");
    subject.move(1);
    subject.receive("1", [suggestion("recent"), suggestion("best")]);
    assert.equal(chosen(), "recent");
    subject.follow("@e", 2);
    subject.receive("2", [suggestion("best"), suggestion("recent")]);
    assert.equal(chosen(), "best");
  });

  it("goes round with the arrows", () => {
    const { subject } = completing();
    subject.follow("@", 1);
    subject.receive("1", [suggestion("a"), suggestion("b")]);
    const active = () => subject.list.value?.active;
    subject.move(-1);
    assert.equal(active(), 1);
    subject.move(1);
    assert.equal(active(), 0);
  });

  it("once sent away stays away for this word, and comes for the next", () => {
    const { subject, posted, labels } = completing();
    subject.follow("@a", 2);
    subject.receive("1", [suggestion("abc")]);
    subject.close();
    subject.follow("@ab", 3);
    assert.equal(labels(), undefined);
    assert.equal(posted.length, 1);
    subject.follow("@ab @", 5);
    subject.receive("2", [suggestion("abc")]);
    assert.deepEqual(labels(), ["abc"]);
  });

  it("closes when the caret leaves the word", () => {
    const { subject, labels } = completing();
    subject.follow("x @a", 4);
    subject.receive("1", [suggestion("abc")]);
    subject.follow("x @a", 1);
    assert.equal(labels(), undefined);
    subject.receive("1", [suggestion("abc")]);
    assert.equal(labels(), undefined);
  });

  it("offers commands at once, without asking", () => {
    const { subject, posted, labels } = completing();
    subject.follow("/ex", 3);
    assert.deepEqual(labels(), ["explain", "export"]);
    assert.deepEqual(posted, []);
    subject.follow("/exx", 4);
    assert.equal(labels(), undefined);
  });

  it("offers agents that run, each by its id, before what the host finds", () => {
    const { subject, labels } = completing([
      { id: "1", name: "tests" },
      { id: "2", name: "docs" },
    ]);
    subject.follow("@te", 3);
    assert.deepEqual(labels(), ["tests"]);
    subject.receive("1", [suggestion("test/a.ts")]);
    assert.deepEqual(labels(), ["tests", "test/a.ts"]);
    const [first] = subject.list.value?.items ?? [];
    assert.ok(first?.kind === "mention");
    assert.deepEqual(first.suggestion.attachment, { kind: "agent", name: "tests", agentId: "1" });
  });
});
