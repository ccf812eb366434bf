import assert from "node:assert/strict";
import { demoWorld } from "../../support/demoWorld.ts";

const files = {
  "README.md": "# Quinces\n\n[![badge](x)](y)\n\nPeels quinces\nfor all.\n\nMore.\n",
  "src/peel.ts":
    "/** Peels one. Slowly. */\nexport function peelQuince(): void {\n}\n\nclass Knife {\n  sharpen(): void {\n  }\n}\n",
};

describe("the demo model's overviews", () => {
  it("show the README's first words and the files", async () => {
    const answer = await demoWorld({ files }).ask("Show me around");
    assert.match(answer, /> Peels quinces for all\.\n/);
    assert.match(answer, /src\/\n {2}peel\.ts/);
  });

  it("of a file are what it declares, each with the first words of its comment, or how it begins", async () => {
    const world = demoWorld({ files });
    for (const text of ["explain src/peel.ts", "show me peel.ts", "Explain `src/peel.ts`.", "explain lib/peel.ts"]) {
      assert.match(
        await world.ask(text),
        /^`src\/peel\.ts` has 8 lines.*line 2: `peelQuince`, `Peels one\. Slowly\.`.*`Knife`/s,
      );
    }
    assert.match(await world.ask("read README.md"), /It begins:.*# Quinces/s);
  });
});
