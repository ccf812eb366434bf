import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Rule, Step } from "../../support/fakeProvider/script.ts";
import { eventually } from "../eventually.ts";
import { ask } from "../run.ts";
import { useSession } from "./wire/session.ts";

const file = "src/orders/receipt.ts";
const turn = (index: number, steps: Step[]): Rule => ({
  when: { lastUser: "Rename", turn: index },
  reply: { steps },
});
const renames = [
  ["const width = 48;", "const width = 60;"],
  ["string, right: string): string {\n", "string, right: string): string {\n  // padded\n"],
  ['row("Total"', 'row("Sum"'],
] as const;

describe("An edit of three hunks that waits for answers", () => {
  const session = useSession("anthropic");

  it("is what was answered in the diff and in the panel: on disk, in the undo steps and for the model", async () => {
    const { fake, panel, editor, workspace } = session();
    const { page } = editor;
    const textNow = () => readFile(path.join(workspace, file), "utf8");
    const original = await textNow();
    const edits = renames.map(([old_text, new_text]) => ({ old_text, new_text }));
    await fake.script(
      turn(0, [{ tool: "read_file", arguments: { path: file } }]),
      turn(1, [{ tool: "edit_file", arguments: { path: file, edits } }]),
      turn(2, [{ text: "As you say." }]),
    );
    await ask(panel, "Rename");
    const card = panel.approval("edit_file");
    await card.getByRole("button", { name: "Open diff" }).first().click();
    await page.locator(".monaco-diff-editor").first().waitFor();
    await page.locator(".modified .codelens-decoration a", { hasText: "Accept (" }).first().click();
    const [first, second] = [original.replace(...renames[0]), original.replace(...renames[0]).replace(...renames[1])];
    await eventually(async () => assert.equal(await textNow(), first));
    await card.getByRole("button", { name: /^Accept hunk 2/ }).click();
    await eventually(async () => assert.equal(await textNow(), second));
    await card.getByRole("textbox", { name: "Reject with feedback…" }).fill("it is a total");
    await card.getByRole("button", { name: "Reject", exact: true }).click();
    await panel.conversation.getByText("As you say.").waitFor();
    const request = JSON.stringify((await fake.requests()).at(-1)?.body);
    // What the instructions say of words beside a rejection, and the result that has some.
    assert.match(request, /Words with a rejection are a new instruction: follow them\./);
    assert.match(request, /it is a total/);
    assert.doesNotMatch(request.slice(request.indexOf("it is a total")), /don't (?:propose|try)/);
    assert.match(request, /const width = 60;/);

    await editor.openFile(path.basename(file));
    await page.locator(".view-line", { hasText: "findBySku }" }).first().click();
    for (const text of [first, original]) {
      await page.keyboard.press("Control+z");
      await page.keyboard.press("Control+s");
      await eventually(async () => assert.equal(await textNow(), text));
    }
  });
});

describe("Edits of two files that wait for answers", () => {
  const session = useSession("anthropic");

  it("are shown in their files one after the other as the panel answers them, and the panel keeps the focus", async () => {
    const { fake, panel, editor } = session();
    const paths = ["src/format/money.ts", "src/pricing/taxes.ts"];
    const read = paths.map((each): Step => ({ tool: "read_file", arguments: { path: each } }));
    const edits = [{ old_text: "export function", new_text: "// seen\nexport function" }];
    const edit = paths.map((each): Step => ({ tool: "edit_file", arguments: { path: each, edits } }));
    await fake.script(turn(0, read), turn(1, edit), turn(2, [{ text: "Both are seen." }]));
    await ask(panel, "Rename");
    const shown = editor.page.getByRole("tab", { selected: true }).filter({ hasText: /money|taxes/ });
    // They are proposed side by side: either may be the first.
    const first = (await shown.innerText()).includes("money") ? 0 : 1;
    const cards = paths.map((each) => panel.approval(`edit_file ${each}`));
    await cards[first]?.getByRole("button", { name: "Accept", exact: true }).click();
    await shown.filter({ hasText: path.basename(paths[1 - first] ?? "") }).waitFor();
    const reject = cards[1 - first]?.getByRole("button", { name: "Reject", exact: true });
    assert.equal(await reject?.evaluate((element) => element.ownerDocument.hasFocus()), true);
    await reject?.click();
    await panel.conversation.getByText("Both are seen.").waitFor();
  });

  it("are accepted together, and the next one is asked for again", async () => {
    const { fake, panel, workspace } = session();
    const write = (name: string): Step => ({ tool: "write_file", arguments: { path: name, content: "x\n" } });
    const rule = (index: number, steps: Step[]): Rule => ({ when: { lastUser: "Add", turn: index }, reply: { steps } });
    await fake.script(
      rule(0, [write("one.txt"), write("two.txt")]),
      rule(1, [write("three.txt")]),
      rule(2, [{ text: "Two of three." }]),
    );
    await ask(panel, "Add them");
    await panel.frame.getByText("1 of 2 pending").waitFor();
    await panel.button("More answers").click();
    await panel.frame.getByRole("menuitem", { name: "Accept all 2 edits" }).click();
    const next = panel.approval("write_file three.txt");
    await next.waitFor();
    for (const name of ["one.txt", "two.txt"]) {
      assert.equal(await readFile(path.join(workspace, name), "utf8"), "x\n");
    }
    await next.getByRole("button", { name: "Reject", exact: true }).click();
    await panel.conversation.getByText("Two of three.").waitFor();
    await assert.rejects(readFile(path.join(workspace, "three.txt")));
  });
});
