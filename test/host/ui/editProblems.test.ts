import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Step } from "../../support/fakeProvider/script.ts";
import { eventually } from "../eventually.ts";
import { ask, seeThrough } from "../run.ts";
import { turn } from "./scripted.ts";
import { startAfresh, useSession } from "./wire/session.ts";

const edit = (file: string, old_text: string, new_text: string): Step => ({
  tool: "edit_file",
  arguments: { path: file, edits: [{ old_text, new_text }] },
});

describe("Problems after an edit, as TypeScript has them", () => {
  const session = useSession(
    "anthropic",
    async (workspace) => {
      // No one has these open: their errors are there before any edit.
      const old = 'const wrong: number = "old";\nexport const one = 1;\n';
      await writeFile(path.join(workspace, "src/old.ts"), old);
      await writeFile(path.join(workspace, "src/shown.ts"), old);
      await writeFile(path.join(workspace, "src/base.ts"), "export const base = 1;\n");
      await writeFile(
        path.join(workspace, "src/user.ts"),
        'import { basis } from "./base.ts";\nexport const user = basis;\n',
      );
    },
    {},
    undefined,
    { builtIns: "all" },
  );
  beforeEach(() => startAfresh(session()));
  const lastRequest = async () => JSON.stringify((await session().fake.requests()).at(-1)?.body);

  async function chooseMode(name: string, title: RegExp): Promise<void> {
    const mode = session().panel.frame.getByRole("combobox", { name: "Mode", exact: true });
    await mode.click();
    await mode.getByRole("option", { name, exact: true }).click();
    await eventually(async () => assert.match((await mode.getAttribute("title")) ?? "", title));
  }

  it("are new only where the edit brought them, in a file that it shows for the first time", async () => {
    const { fake, panel } = session();
    await fake.script(
      turn("Try", 0, [edit("src/shown.ts", "one = 1", "one = 2")]),
      turn("Try", 1, [edit("src/shown.ts", "one = 2", "one: string = 2")]),
      turn("Try", 2, [{ text: "Tried." }]),
    );
    await ask(panel, "Try");
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    const [, first, second] = (await fake.requests()).map(({ body }) => JSON.stringify(body));
    assert.match(first ?? "", /Edited src\/shown\.ts/);
    assert.doesNotMatch(first ?? "", /New problems/);
    assert.match(second ?? "", /New problems:\\n2:14 error: Type 'number' is not assignable to type 'string'\./);
    assert.doesNotMatch(second ?? "", /New problems:\\n1:7/);
  });

  it("are new only where the edit brought them, in a file that no one has open", async () => {
    const { fake, panel } = session();
    await chooseMode("Auto-edit", /auto-edit/);
    await fake.script(
      turn("Quietly", 0, [edit("src/old.ts", "one = 1", "one = 2")]),
      turn("Quietly", 1, [edit("src/old.ts", "const wrong", "// moved\nconst wrong")]),
      turn("Quietly", 2, [edit("src/old.ts", "one = 2", "one: string = 2")]),
      turn("Quietly", 3, [{ text: "Tried." }]),
    );
    await ask(panel, "Quietly");
    await panel.conversation.getByText("Tried.").waitFor();
    const [, first, second, third] = (await fake.requests()).map(({ body }) => JSON.stringify(body));
    assert.match(first ?? "", /Edited src\/old\.ts/);
    for (const request of [first, second]) assert.doesNotMatch(request ?? "", /New problems|Solved problems/);
    assert.match(third ?? "", /New problems:\\n3:14 error: Type 'number' is not assignable to type 'string'\./);
  });

  it("that an edit of another file solved at the same time are not credited", async () => {
    const { fake, panel } = session();
    await chooseMode("Ask first", /ask/);
    await fake.script(
      turn("Both", 0, [edit("src/user.ts", "user =", "used ="), edit("src/base.ts", "base =", "basis =")]),
      turn("Both", 1, [{ text: "Both done." }]),
    );
    await ask(panel, "Both");
    await panel.frame.getByText(/\d of 2 pending/).waitFor();
    // The one that solves the problem of the other is answered first.
    const solving = panel.approval("edit_file src/base.ts");
    if ((await solving.count()) === 0) await panel.button("Next approval").click();
    for (const card of [solving, panel.approval("edit_file src/user.ts")]) {
      await card.getByRole("button", { name: "Accept", exact: true }).click();
      await card.waitFor({ state: "detached" });
    }
    await panel.conversation.getByText("Both done.").waitFor();
    const request = await lastRequest();
    assert.match(request, /Edited src\/base\.ts/);
    assert.match(
      request,
      /Problems that went away meanwhile:\\n1:10 error: .*may not be due to this edit: src\/base\.ts/,
    );
    assert.doesNotMatch(request, /Solved problems/);
  });
});
