import assert from "node:assert/strict";
import { factsBlock, type KnownFacts, withoutFacts } from "../../../src/extension/context/workState.ts";
import { assistant, user } from "../../support/events.ts";

const nothing: KnownFacts = { plan: [], proposed: [], written: [], files: [] };

describe("the facts at the end of a summary", () => {
  it("are the plan, the edits, the files with their versions and the last request", () => {
    const facts: KnownFacts = {
      plan: [
        { text: "Read it", status: "completed" },
        { text: "Change it", status: "in_progress" },
        { text: "Test it", status: "pending" },
      ],
      proposed: [{ path: "a.ts", hunks: 2 }],
      written: [{ path: "b.ts", agentId: "m", agentPath: ["main"], hunks: 1, added: 3, removed: 1 }],
      files: [{ path: "a.ts", version: "v1" }],
    };
    const covered = [user("u1", "First"), assistant("a", "Yes"), user("u2", "Rename it")];
    assert.equal(
      factsBlock(facts, covered),
      `<known_facts>
The plan, as it is now:
- [x] Read it
- [ ] Change it (in progress)
- [ ] Test it

Edits that wait for the user, by file:
- a.ts: 2 proposed, not written yet
- b.ts: +3 -1 written, to be kept or undone

Files you have seen, with the version you saw (read one again before you rely on its text):
- a.ts (v1)

What the user asked last, word for word:
Rename it
</known_facts>`,
    );
  });

  it("are left out where nothing is known", () => {
    assert.equal(factsBlock(nothing, []), undefined);
  });

  it("name the latest files only, and how many others there are", () => {
    const files = Array.from({ length: 70 }, (_, index) => ({ path: `f${index}`, version: "1" }));
    const block = factsBlock({ ...nothing, files }, []) ?? "";
    assert.match(block, /- and 10 more, earlier\n- f10 \(1\)/);
    assert.ok(block.includes("- f69 (1)") && !block.includes("- f9 (1)"));
  });

  it("are taken off before a summary is summarized again", () => {
    const block = factsBlock({ ...nothing, files: [{ path: "a", version: "1" }] }, []) ?? "";
    assert.equal(withoutFacts(`What was done.\n\n${block}`), "What was done.");
    assert.equal(withoutFacts("What was done."), "What was done.");
  });
});
