import assert from "node:assert/strict";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { demoWorld } from "../../support/demoWorld.ts";

const files = {
  "README.md": "# Quinces\n\n[![badge](x)](y)\n\nPeels quinces\nfor all.\n\nMore.\n",
  "src/peel.ts":
    "/** Peels one. Slowly. */\nexport function peelQuince(): void {\n}\n\nclass Knife {\n  sharpen(): void {\n  }\n}\n",
};

describe("the demo model's overviews", () => {
  it("list what a file declares, with its comments", async () => {
    const answer = await demoWorld({ files }).ask("Explain src/peel.ts");
    assert.match(answer, /`src\/peel\.ts:2` function `peelQuince`: Peels one\.\n- `src\/peel\.ts:5` class `Knife`/);
    assert.match(answer, /`src\/peel\.ts:6` function `sharpen`/);
  });

  it("show the README's first words and the files", async () => {
    const answer = await demoWorld({ files }).ask("Show me around");
    assert.match(answer, /> Peels quinces for all\.\n/);
    assert.match(answer, /src\/\n {2}peel\.ts/);
  });

  it("send an explorer into each of the fullest folders, and say what to try next", async () => {
    const peels = { "src/fruit/apple.ts": "/** Peels an apple. */\nexport function peelApple(): void {\n}\n" };
    const tests = { "test/peel.test.ts": "export const knives = 2;\n", "docs/peeling.md": "# How\n" };
    const world = demoWorld({ files: { ...files, ...peels, ...tests } });
    const answer = await world.ask("Show me around");
    const briefs = world.events.flatMap((event) =>
      event.type === "message_end" && event.message.role === "user" && event.agent.name === "explore"
        ? [textOf(event.message)]
        : [],
    );
    assert.deepEqual(
      briefs.filter((brief) => brief.startsWith("List what")).toSorted(),
      ["src/fruit", "src", "test"].map((folder) => `List what the files in \`${folder}\` declare.`),
    );
    assert.match(answer, /^- `src\/fruit\/apple\.ts:2` function `peelApple`: Peels an apple\.$/m);
    assert.match(answer, /^- `test\/peel\.test\.ts:1` variable `knives`$/m);
    const request = /“(replace `\w+` with `\w+`)”/.exec(answer)?.[1] ?? "";
    await world.ask(request);
    assert.equal(world.review.proposals.length, 1, "what it says to try can be tried as it stands");
  });

  it("show the editor's problems and do not pretend to fix them", async () => {
    const world = demoWorld({ files });
    world.workspace.diagnosticList = [
      { path: "src/peel.ts", line: 2, column: 1, severity: "error", message: "Blunt knife" },
    ];
    assert.match(await world.ask("Fix the problems"), /`src\/peel\.ts:2` error: Blunt knife.*can't fix/s);
    assert.deepEqual(world.review.proposals, []);
  });
});
