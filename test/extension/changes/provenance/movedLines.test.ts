import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { EditHistory } from "../../../../src/extension/changes/history/editHistory.ts";
import { fileWithMovedLines, LatelyRemoved } from "../../../../src/extension/changes/provenance/movedBetween.ts";
import { hunkAt } from "../../../../src/extension/changes/provenance/movedLines.ts";
import { movedHunks, writtenStates } from "../../../../src/extension/changes/provenance/writtenEdits.ts";
import { timeLimitMs, tries } from "../../../support/soak.ts";
import { applying } from "../support/applying.ts";
import { TextWorkspace } from "../support/textWorkspace.ts";

const path = "a.ts";
const agents = ["main", "main/explore", "main/tests"] as const;

function session(text: string) {
  const workspace = new TextWorkspace({ [path]: `${text}\n` });
  let count = 0;
  const history = new EditHistory({
    workspace,
    saved: { read: async () => undefined, write: async () => {}, setAside: async () => {} },
    newId: () => `w${++count}`,
    onError: assert.ifError,
  });
  const { apply, store } = applying({}, workspace, history);
  const lines = () => (workspace.files.get(path) ?? "").split("\n").slice(0, -1);
  const textOf = (next: readonly string[]) => next.map((line) => `${line}\n`).join("");
  const type = (next: readonly string[]) => {
    workspace.type(path, textOf(next));
    store.setText(path, textOf(next));
    history.setWrittenText(path, textOf(next));
  };
  const write = (next: readonly string[], agent: string) =>
    apply([{ path, before: textOf(lines()), after: textOf(next) }], agent);
  /** For each line of the text, who wrote it. */
  const authors = () => {
    const file = history.find(path);
    return lines().map((_, index) => file && hunkAt(file, index)?.author.agentPath.join("/"));
  };
  const close = () => history.dispose();
  return { write, type, lines, authors, close };
}

describe("who wrote a line that the user moved", () => {
  it("is the agent still, whether it was cut and pasted at once or one after the other, and indented again", async () => {
    const { write, type, authors, close } = session("one\ntwo\nthree\nfour");
    await write(["one", "two", "const added = 1;", "}", "three", "four"], "main/tests");
    type(["one", "two", "three", "  const added = 1;", "  }", "four"]);
    assert.deepEqual(authors(), [undefined, undefined, undefined, "main/tests", "main/tests", undefined]);
    type(["one", "two", "three", "four"]);
    type(["const added = 1;", "one", "two", "three", "four"]);
    assert.deepEqual(authors()[0], "main/tests");
    close();
  });

  it("is not the agent where the user types what anybody would", async () => {
    const { write, type, authors, close } = session("one\ntwo");
    await write(["one", "}", "", "two"], "main");
    type(["one", "two"]);
    type(["one", "two", "}", ""]);
    assert.deepEqual(authors(), [undefined, undefined, undefined, undefined]);
    close();
  });

  it("is found at once among thousands of lines that are the same", async () => {
    const blank = Array.from({ length: 4_000 }, () => "");
    const { write, type, authors, close } = session("one\ntwo");
    await write(["one", ...blank, "const added = 1;", "two"], "main");
    type(["one", "two"]);
    type(["one", "two", ...blank, "mine", "const added = 1;"]);
    assert.deepEqual(authors().slice(-2), [undefined, "main"]);
    close();
  });

  it("is right in random sessions of three agents and a user who types and moves lines", async function () {
    this.timeout(timeLimitMs(120_000));
    let survivors = 0;
    let named = 0;
    const step = fc.record({
      who: fc.constantFrom("agent", "agent", "move", "cut", "type", "delete"),
      agent: fc.constantFrom(...agents),
      at: fc.nat(1_000),
      to: fc.nat(1_000),
      length: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const { write, type, lines, authors, close } = session("alpha\nbeta\n{\n}\ngamma\ndelta");
        /** Of each line that was ever written, by its text: no one writes the same twice. */
        const writers = new Map<string, string>();
        let count = 0;
        for (const { who, agent, at, to, length } of steps) {
          const now = lines();
          const start = at % (now.length + 1);
          const fresh = (by: string) => {
            const text = `line ${++count} of ${by}`;
            writers.set(text, by);
            return text;
          };
          if (who === "agent") {
            const added = Array.from({ length }, (_, index) => (index === 1 ? "}" : fresh(agent)));
            await write(now.toSpliced(start, to % 3, ...added), agent);
          } else if (who === "type") type(now.toSpliced(start, 0, fresh("user")));
          else if (who === "delete") type(now.toSpliced(start, 1));
          else {
            const block = now.slice(start, start + length);
            const rest = now.toSpliced(start, length);
            if (who === "cut") type(rest);
            type(rest.toSpliced(to % (rest.length + 1), 0, ...block));
          }
        }
        const found = authors();
        for (const [index, text] of lines().entries()) {
          const writer = writers.get(text);
          if (writer === undefined) continue;
          // What is named is right, always; what is an agent's is to be named.
          assert.ok(found[index] === undefined || found[index] === writer, `${text}: ${found[index]}`);
          if (writer === "user") continue;
          survivors += 1;
          if (found[index] === writer) named += 1;
        }
        close();
      }),
      tries("movedLines"),
    );
    assert.ok(survivors > 200, `${survivors} lines say little`);
    assert.ok(named / survivors >= 0.99, `${named} of ${survivors} lines`);
  });
});

describe("who wrote a line that the user moved into another file", () => {
  /** Several files, of which agents write to some. */
  function files(contents: Record<string, readonly string[]>) {
    const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
    const workspace = new TextWorkspace(
      Object.fromEntries(Object.entries(contents).map(([name, lines]) => [name, textOf(lines)])),
    );
    let count = 0;
    let saved: string | undefined;
    const open = () =>
      new EditHistory({
        workspace,
        saved: {
          read: async () => saved,
          write: async (json) => {
            saved = json;
          },
          setAside: async () => {},
        },
        newId: () => `w${++count}`,
        onError: assert.ifError,
      });
    const history = open();
    const { apply, store } = applying({}, workspace, history);
    const linesOf = (name: string) => (workspace.files.get(name) ?? "").split("\n").slice(0, -1);
    const authorsIn = (of: EditHistory, name: string) => {
      const file = of.find(name);
      return linesOf(name).map((_, index) => file && hunkAt(file, index, of.all)?.author.agentPath.join("/"));
    };
    return {
      linesOf,
      history,
      write: (name: string, next: readonly string[], agent: string) =>
        apply([{ path: name, before: textOf(linesOf(name)), after: textOf(next) }], agent),
      /** As the editor reports it: one edit of whole lines. */
      type(name: string, at: number, removed: number, put: readonly string[]) {
        const text = textOf(linesOf(name).toSpliced(at, removed, ...put));
        workspace.type(name, text);
        store.setText(name, text);
        const edit = { startLine: at, startCharacter: 0, endLine: at + removed, endCharacter: 0, lines: [...put, ""] };
        if (history.has(name)) history.setWrittenText(name, text, [edit]);
        else history.typedElsewhere({ path: name, languageId: "", textNow: () => text, edits: [edit] });
      },
      authors: (name: string) => authorsIn(history, name),
      async reopened(name: string) {
        history.dispose();
        await setImmediate();
        const later = open();
        await later.refresh();
        return authorsIn(later, name);
      },
    };
  }

  it("is the agent still, in a file of agents and in one of the user's alone, and after a reload", async () => {
    const { write, type, authors, reopened, history, linesOf } = files({
      "a.ts": ["one", "two"],
      "b.ts": ["alpha"],
      "c.ts": ["gamma", "delta"],
    });
    await write("a.ts", ["one", "const total = sum(items);", "}", "two"], "main/tests");
    await write("b.ts", ["alpha", "const rest = 1;"], "main/docs");
    type("a.ts", 1, 2, []);
    type("b.ts", 1, 0, ["  const total = sum(items);", "  }"]);
    assert.deepEqual(authors("b.ts"), [undefined, "main/tests", "main/tests", "main/docs"]);
    const states = history.all.flatMap((file) => [
      ...writtenStates(file, { files: [] }, movedHunks(history.all)).values(),
    ]);
    assert.deepEqual(states, ["kept", "kept"]);
    type("b.ts", 1, 2, []);
    type("c.ts", 1, 0, ["const total = sum(items);", "}"]);
    assert.deepEqual(authors("c.ts"), [undefined, "main/tests", "main/tests", undefined]);
    type("c.ts", 0, 0, ["mine"]);
    assert.deepEqual(linesOf("c.ts").length, 5);
    assert.deepEqual(await reopened("c.ts"), [undefined, undefined, "main/tests", "main/tests", undefined]);
  });

  it("is the user for what was removed long before, and for what anybody types", () => {
    let now = 0;
    const removed = new LatelyRemoved(() => now);
    const file = (isLive: boolean) => {
      const lines = ["const added = 1;", "}"].map((text) => ({ text, end: "\n", isLive, by: "h" }));
      return { path: "a.ts", languageId: "", lines, hunks: [] };
    };
    removed.note(file(true), file(false));
    const typed = (text: string) => {
      const edits = [{ startLine: 0, startCharacter: 0, endLine: 0, endCharacter: 0, lines: [text, ""] }];
      return fileWithMovedLines(
        { path: "b.ts", languageId: "", textNow: () => `${text}\n`, edits },
        removed.elsewhere("b.ts"),
      );
    };
    assert.equal(typed("const added = 1;")?.lines[0]?.movedFrom, "h");
    assert.equal(typed("}"), undefined);
    assert.equal(typed("const mine = 1;"), undefined);
    assert.deepEqual(removed.elsewhere("a.ts"), []);
    now = 11 * 60_000;
    assert.equal(typed("const added = 1;"), undefined);
  });

  it("is right in random sessions over three files", async function () {
    this.timeout(timeLimitMs(120_000));
    let survivors = 0;
    let named = 0;
    const names = ["a.ts", "b.ts", "c.ts"] as const;
    const step = fc.record({
      who: fc.constantFrom("agent", "agent", "move", "move", "type", "delete"),
      agent: fc.constantFrom(...agents),
      from: fc.constantFrom(...names),
      into: fc.constantFrom(...names),
      at: fc.nat(1_000),
      to: fc.nat(1_000),
      length: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const world = files({ "a.ts": ["alpha", "{", "}"], "b.ts": ["beta", "}"], "c.ts": ["gamma"] });
        const writers = new Map<string, string>();
        let count = 0;
        const fresh = (by: string) => {
          const text = `line ${++count} of ${by}`;
          writers.set(text, by);
          return text;
        };
        for (const { who, agent, from, into, at, to, length } of steps) {
          const now = world.linesOf(from);
          const start = at % (now.length + 1);
          if (who === "agent") {
            const added = Array.from({ length }, (_, index) => (index === 1 ? "}" : fresh(agent)));
            await world.write(from, now.toSpliced(start, to % 3, ...added), agent);
          } else if (who === "type") world.type(from, start, 0, [fresh("user")]);
          else if (who === "delete") world.type(from, start, start < now.length ? 1 : 0, []);
          else {
            const block = now.slice(start, start + length);
            world.type(from, start, block.length, []);
            world.type(into, to % (world.linesOf(into).length + 1), 0, block);
          }
        }
        for (const name of names) {
          const found = world.authors(name);
          for (const [index, text] of world.linesOf(name).entries()) {
            const writer = writers.get(text);
            if (writer === undefined) continue;
            assert.ok(found[index] === undefined || found[index] === writer, `${text}: ${found[index]}`);
            if (writer === "user") continue;
            survivors += 1;
            if (found[index] === writer) named += 1;
          }
        }
        world.history.dispose();
      }),
      tries("movedLines"),
    );
    assert.ok(survivors > 200, `${survivors} lines say little`);
    assert.ok(named / survivors >= 0.99, `${named} of ${survivors} lines`);
  });
});
