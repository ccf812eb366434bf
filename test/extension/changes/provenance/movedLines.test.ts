import assert from "node:assert/strict";
import fc from "fast-check";
import { EditHistory } from "../../../../src/extension/changes/history/editHistory.ts";
import { hunkAt } from "../../../../src/extension/changes/provenance/movedLines.ts";
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
  it("is the agent still, whether it was cut and pasted at once or one after the other, and indented anew", async () => {
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
        /** Of each line that was ever written, by its text: nobody writes the same twice. */
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
