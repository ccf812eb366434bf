import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { eventually, untilEffective } from "../eventually.ts";
import { ask } from "../run.ts";
import { editStep, readStep, turn } from "./scripted.ts";
import { useSession } from "./wire/session.ts";

const file = "src/manyValues.ts";
const linesPerHunk = 10;
const hunkCount = 40;
const oldLine = (index: number) => `export const value${index} = ${index};`;
const newLine = (index: number) => `export const value${index} = total(${index}, "${"long ".repeat(40)}");`;

async function writeMany(workspace: string): Promise<void> {
  const lines = Array.from({ length: linesPerHunk * hunkCount }, (_, index) => oldLine(index));
  await writeFile(path.join(workspace, file), lines.join("\n"));
}

describe("Proposed edits in the editor of their file", () => {
  const session = useSession("anthropic", writeMany);

  it("show their new lines as a diff wherever the user looks, with one row of actions", async () => {
    const { fake, panel, editor } = session();
    const { page } = editor;
    const changed = Array.from({ length: hunkCount }, (_, index) => index * linesPerHunk);
    const edits = changed.map((index): [string, string] => [oldLine(index), newLine(index)]);
    const added: [string, string] = [oldLine(3), [oldLine(3), ..."x".repeat(60)].join("\n")];
    await fake.script(
      turn("Total them", 0, [readStep(file)]),
      turn("Total them", 1, [editStep(file, ...edits, added)]),
      turn("Total them", 2, [{ text: "I see." }]),
    );
    await ask(panel, "Total them");
    await panel.approval("edit_file").waitFor();
    await editor.openFile("manyValues.ts", 1);
    const comment = (index: number) => page.locator(".review-widget", { hasText: `+ export const value${index} =` });
    await comment(0).waitFor();
    await page.locator(".review-widget a", { hasText: "48 more: Open diff" }).waitFor();
    assert.deepEqual(
      await comment(0)
        .locator("a", { hasText: /Accept|Reject/ })
        .allInnerTexts(),
      [],
    );
    const body = comment(0).locator(".comment-body");
    assert.equal(await body.evaluate((element) => element.scrollWidth > element.clientWidth), false);
    await page.locator(".codelens-decoration a", { hasText: "Accept (+1 −1)" }).first().waitFor();

    await page.locator(".editor-instance .view-line").first().click();
    // What is still being drawn may take the first key.
    const last = comment(changed.at(-1) ?? 0);
    await untilEffective(
      () => page.keyboard.press("Control+End"),
      async () => assert.ok(await last.isVisible()),
    );

    // In the light theme, where 57 characters fit beside each other: nothing lies upon a link.
    await editor.setTheme("light");
    const { width, height } = page.viewportSize() ?? { width: 1280, height: 720 };
    const code = page.locator(".editor-instance .lines-content").first();
    const letters = await code.evaluate((element) => {
      const [line] = element.querySelectorAll(".view-line > span");
      const ofLetter = (line?.getBoundingClientRect().width ?? 0) / (line?.textContent?.length ?? 1);
      return { visible: element.parentElement?.clientWidth ?? 0, ofLetter };
    });
    await page.setViewportSize({ width: Math.round(width - letters.visible + 57 * letters.ofLetter), height });
    await untilEffective(
      () => page.keyboard.press("Control+Home"),
      async () => assert.ok(await comment(0).isVisible()),
    );
    const link = page.locator(".review-widget a", { hasText: "48 more: Open diff" });
    await eventually(async () => {
      const uncovered = await link.evaluate((element) =>
        [...element.getClientRects()].every(({ left, right, top, bottom }) =>
          [left + 1, right - 1].every((x) =>
            element.contains(element.ownerDocument.elementFromPoint(x, (top + bottom) / 2)),
          ),
        ),
      );
      assert.ok(uncovered);
      assert.equal(await body.evaluate((element) => element.scrollWidth > element.clientWidth), false);
    });
    await page.setViewportSize({ width, height });
    await editor.setTheme("dark");
  });
});

describe("A proposed edit whose actions are in its comment", () => {
  const session = useSession("anthropic", writeMany, { "arbor.edits.actions": "comment" });

  it("has them nowhere else in its file, is in the diff of all edits, and is accepted there", async () => {
    const { fake, panel, editor, workspace } = session();
    const { page } = editor;
    await fake.script(
      turn("Total one", 0, [readStep(file)]),
      turn("Total one", 1, [editStep(file, [oldLine(1), "// total"])]),
      turn("Total one", 2, [{ text: "I see." }]),
    );
    await ask(panel, "Total one");
    await panel.approval("edit_file").waitFor();
    await editor.runCommand("Arbor: Review Agent Edits");
    await page.locator(".multiDiffEntry .modified .view-line", { hasText: "// total" }).waitFor();
    await editor.openFile("manyValues.ts", 1);
    const accept = page.locator(".review-widget").getByRole("button", { name: "Accept", exact: true });
    await accept.waitFor();
    assert.equal(await page.locator(".codelens-decoration a", { hasText: "Accept" }).count(), 0);
    await accept.click();
    await panel.conversation.getByText("I see.").waitFor();
    assert.match(await readFile(path.join(workspace, file), "utf8"), /^\/\/ total$/m);
    await page.getByRole("tab", { name: /Agent Edits/ }).waitFor({ state: "detached" });
  });
});

describe("Proposed edits whose lines the user changed", () => {
  const session = useSession("anthropic", writeMany);

  it("become the agent's, stay the user's, or are merged and then accepted", async () => {
    const { fake, panel, editor, workspace } = session();
    const { page } = editor;
    const agentLine = (index: number) => `export const value${index} = "agent";`;
    const lines = [1, 5, 9];
    const edits = lines.map((index): [string, string] => [oldLine(index), agentLine(index)]);
    await fake.script(
      turn("Change them", 0, [readStep(file)]),
      turn("Change them", 1, [editStep(file, ...edits)]),
      turn("Change them", 2, [{ text: "I see." }]),
    );
    await ask(panel, "Change them");
    await panel.approval("edit_file").waitFor();
    for (const index of lines) {
      await editor.openFile("manyValues.ts", index + 1);
      await page.locator(".statusbar-item", { hasText: new RegExp(`^Ln ${index + 1},`) }).waitFor();
      await page.keyboard.press("End");
      await page.keyboard.insertText(" // mine");
    }
    await editor.openFile("manyValues.ts", 1);
    const action = (name: string) => page.locator(".codelens-decoration a", { hasText: name });
    await action("Keep mine").nth(2).waitFor();
    await action("Use agent's lines").first().click();
    await page.locator(".view-line", { hasText: agentLine(1) }).waitFor();
    await action("Keep mine").nth(2).waitFor({ state: "detached" });
    await action("Keep mine").first().click();
    await action("Keep mine").nth(1).waitFor({ state: "detached" });
    await action("Merge…").first().click();
    await page.locator(".merge-editor").getByText("Accept Agent's lines").click();
    await page.locator(".merge-editor").getByText("Remove Your lines").click();
    await page.getByRole("button", { name: "Accept Merge" }).click();
    await panel.conversation.getByText("I see.").waitFor();
    await editor.openFile("manyValues.ts", 1);
    await page.keyboard.press("Control+s");
    await eventually(async () => {
      const now = (await readFile(path.join(workspace, file), "utf8")).split("\n");
      const expected = [agentLine(1), `${oldLine(5)} // mine`, agentLine(9)];
      assert.deepEqual(
        lines.map((index) => now[index]),
        expected,
      );
    });
  });
});
