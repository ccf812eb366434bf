import assert from "node:assert/strict";
import fc from "fast-check";
import { demoWorld } from "../../support/demoWorld.ts";
import { randomWorkspace } from "../../support/randomWorkspace.ts";

const files = {
  "a.ts": "const total = 1;\nconst subtotal = total + 2;\nconst more = total;\nsubtotal;\n",
  "b/c.ts": "// total\r\nprint(total);\r\n",
  "d.md": "No occurrence of it.\n",
};

describe("the demo model, asked to replace", () => {
  it("changes whole words in all files through the edit agent and leaves longer words alone", async () => {
    const world = demoWorld({ files });
    const answer = await world.ask("replace total with sum");
    assert.equal(
      world.workspace.files.get("a.ts"),
      "const sum = 1;\nconst subtotal = sum + 2;\nconst more = sum;\nsubtotal;\n",
    );
    assert.equal(world.workspace.files.get("b/c.ts"), "// sum\r\nprint(sum);\r\n");
    assert.equal(world.agents("edit").length, 1);
    assert.match(answer, /`a\.ts`: .*kept/);
    assert.match(answer, /Left alone: 2 places/);
  });

  it("changes nothing that the user rejects, and repeats the user's words", async () => {
    const world = demoWorld({ files, review: { answer: () => ({ reject: "not that word" }) } });
    const answer = await world.ask("replace `total` with `sum`");
    assert.deepEqual(Object.fromEntries(world.workspace.files), files);
    assert.match(answer, /`a\.ts`: rejected, nothing was written/);
    assert.match(answer, /rejected, line 1: .*you said: “not that word”/);
  });

  it("tells what the user changed in the proposal as that, in one line", async () => {
    const world = demoWorld({ files, review: { change: (text) => text.replace("= 1", "= 1 + 0") } });
    const answer = await world.ask("replace total with sum");
    assert.match(answer, /^ {2}- changed by you before it was kept, line 1: `const sum = 1 \+ 0;`$/m);
    assert.doesNotMatch(answer, /@@|your proposal/);
  });

  it("tells what was kept from what was rejected within a file", async () => {
    const world = demoWorld({
      files: { "a.ts": "one(x);\n\n\ntwo(x);\n" },
      review: { answer: (hunk) => (hunk.oldStart === 1 ? "accept" : { reject: "keep two" }) },
    });
    const answer = await world.ask("replace x with y");
    assert.equal(world.workspace.files.get("a.ts"), "one(y);\n\n\ntwo(x);\n");
    assert.match(answer, /kept 1, rejected 1/);
    assert.match(answer, /kept, line 1: `one\(y\);`/);
    assert.match(answer, /rejected, line 4: `two\(y\);`, you said: “keep two”/);
  });

  it("passes on the problems that an edit brought, but not those between edits that belong together", async () => {
    const broken = { path: "a.ts", line: 1, column: 1, severity: "error" as const, message: "No such name" };
    const ask = async (more: Record<string, string>) => {
      const world = demoWorld({ files: { "a.ts": "x;\n", ...more }, diagnose: () => [broken] });
      return world.ask("replace x with y");
    };
    assert.match(await ask({}), /\n {2}- .*No such name/s);
    assert.doesNotMatch(await ask({ "b.ts": "x;\n" }), /No such name/);
  });

  it("changes longer words too when it is told to", async () => {
    const world = demoWorld({ files });
    await world.ask("replace total with sum, also inside longer words");
    assert.equal(
      world.workspace.files.get("a.ts"),
      "const sum = 1;\nconst subsum = sum + 2;\nconst more = sum;\nsubsum;\n",
    );
  });

  it("keeps to the folder it is told", async () => {
    const world = demoWorld({ files });
    await world.ask("rename total to sum in b/");
    assert.equal(world.workspace.files.get("a.ts"), files["a.ts"]);
    assert.match(String(world.workspace.files.get("b/c.ts")), /sum/);
  });

  it("says so when there is nothing to replace, and where it stands in other case", async () => {
    const world = demoWorld({ files });
    const answer = await world.ask("replace TOTAL with sum");
    assert.match(answer, /`TOTAL` does not occur .* nothing was changed.*other case/s);
    assert.deepEqual(world.review.proposals, []);
  });

  it("edits by itself when it may not delegate", async () => {
    const world = demoWorld({ files, maxDepth: 0 });
    await world.ask("replace total with sum");
    assert.match(String(world.workspace.files.get("a.ts")), /const sum = 1/);
  });

  it("replaces every whole word and no other byte in workspaces of any names", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const { files: random, name, freshName } = randomWorkspace(seed);
        const world = demoWorld({ files: random });
        await world.ask(`replace ${name} with ${freshName}`);
        for (const [path, text] of Object.entries(random)) {
          const expected = text.replace(new RegExp(`\\b${name}\\b`, "g"), freshName);
          assert.equal(world.workspace.files.get(path), expected, path);
        }
      }),
      { numRuns: 15 },
    );
  });
});
