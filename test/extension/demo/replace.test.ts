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
    assert.match(answer, /rejected, line 1, you said: “not that word”/);
  });

  it("reports what was kept and what was rejected within a file", async () => {
    const world = demoWorld({
      files: { "a.ts": "one(x);\n\n\ntwo(x);\n" },
      review: { answer: (hunk) => (hunk.oldStart === 1 ? "accept" : { reject: "keep two" }) },
    });
    const answer = await world.ask("replace x with y");
    assert.equal(world.workspace.files.get("a.ts"), "one(y);\n\n\ntwo(x);\n");
    assert.match(answer, /kept 1, rejected 1/);
    assert.match(answer, /rejected, line 4, you said: “keep two”/);
  });

  it("keeps to the folder that is named", async () => {
    const world = demoWorld({ files });
    await world.ask("rename total to sum in b/");
    assert.equal(world.workspace.files.get("a.ts"), files["a.ts"]);
    assert.match(String(world.workspace.files.get("b/c.ts")), /sum/);
  });

  it("says so when there is nothing to replace", async () => {
    const world = demoWorld({ files });
    assert.match(await world.ask("replace TOTAL with sum"), /`TOTAL` does not occur .* nothing was changed/s);
    assert.match(
      await world.ask("replace ota with sum"),
      /`ota` does not occur .* except within longer words \(7 places\)/,
    );
    assert.deepEqual(world.review.proposals, []);
  });

  it("changes a line that occurs twice", async () => {
    const world = demoWorld({ files: { "a.ts": "f(x);\nx;\ng(y);\nx;\n\n" } });
    await world.ask("replace x with z");
    assert.equal(world.workspace.files.get("a.ts"), "f(z);\nz;\ng(y);\nz;\n\n");
  });

  it("edits on its own when it may not delegate", async () => {
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
