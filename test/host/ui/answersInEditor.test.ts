import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { eventually, untilEffective } from "../eventually.ts";
import { ask } from "../run.ts";
import { editStep, readStep, turn } from "./scripted.ts";
import { startAfresh, useSession } from "./wire/session.ts";

describe("A proposed edit, answered in the editor", () => {
  const session = useSession("anthropic");
  const textOf = (file: string) => readFile(path.join(session().workspace, file), "utf8");
  const caretAt = (line: number) =>
    session()
      .editor.page.locator(".statusbar-item", { hasText: new RegExp(`^Ln ${line},`) })
      .waitFor();

  /** Asks for the edit and waits for its card. */
  async function propose(question: string, file: string, ...edits: (readonly [string, string])[]) {
    const { fake, panel } = session();
    await startAfresh(session());
    await fake.script(
      turn(question, 0, [readStep(file)]),
      turn(question, 1, [editStep(file, ...edits)]),
      turn(question, 2, [{ text: "I see." }]),
    );
    await ask(panel, question);
    const card = panel.approval("edit_file");
    await card.waitFor();
    return card;
  }

  /** What the model learns of the edit. */
  async function report(): Promise<string> {
    await session().panel.conversation.getByText("I see.").waitFor();
    const { body } = (await session().fake.requests()).at(-1) ?? assert.fail("The model was asked nothing.");
    assert.ok(typeof body === "object" && body !== null && "messages" in body);
    return JSON.stringify(body.messages);
  }

  it("is written without what the diff's own revert button took out", async () => {
    const { editor } = session();
    const file = "src/orders/receipt.ts";
    const original = await textOf(file);
    const [width, total] = [["const width = 48;", "const width = 60;"] as const, ['row("Total"', 'row("Sum"'] as const];
    const card = await propose("Widen", file, width, total);
    await card.getByRole("button", { name: "Open diff" }).first().click();
    await editor.page.locator('.monaco-diff-editor .gutter [aria-label="Revert Block"]').first().click();
    await card.getByRole("button", { name: "Accept", exact: true }).click();
    const told = await report();
    assert.equal(await textOf(file), original.replace(...total));
    assert.match(told, /The user changed your proposal before accepting it/);
    assert.doesNotMatch(told, /kept 2|Edited [^ ]*: 2 changes/);
  });

  it("is written with the one character that was typed into the diff", async () => {
    const { editor } = session();
    const { page } = editor;
    const file = "src/format/dates.ts";
    const original = await textOf(file);
    const first = original.split("\n")[0] ?? "";
    const card = await propose("Head it", file, [first, `// days\n${first}`]);
    await card.getByRole("button", { name: "Open diff" }).first().click();
    await page.locator(".monaco-diff-editor .modified .view-line", { hasText: "// days" }).first().click();
    await page.keyboard.press("End");
    await page.keyboard.press("!");
    await page.locator(".monaco-diff-editor .modified .view-line", { hasText: "// days!" }).first().waitFor();
    await card.getByRole("button", { name: "Accept", exact: true }).click();
    assert.match(await report(), /The user changed your proposal before accepting it/);
    assert.equal(await textOf(file), `// days!\n${original}`);
  });

  it("leaves the focus with what waits next, then with the composer, when a key answers it in its diff", async () => {
    const { fake, panel, editor } = session();
    const { page } = editor;
    const files = ["src/format/dates.ts", "src/format/money.ts"] as const;
    const firsts = await Promise.all(files.map(async (file) => (await textOf(file)).split("\n")[0] ?? ""));
    const edits = files.map((file, index) => editStep(file, [firsts[index] ?? "", `// both\n${firsts[index]}`]));
    await startAfresh(session());
    await editor.runCommand("View: Close All Editors");
    await fake.script(
      turn("Head both", 0, files.map(readStep)),
      turn("Head both", 1, edits),
      turn("Head both", 2, [{ text: "I see." }]),
    );
    await ask(panel, "Head both");
    await panel.frame.getByText("1 of 2").waitFor();
    const answerInDiff = async () => {
      await panel.approvals.first().getByRole("button", { name: "Open diff" }).first().click();
      await page.locator(".monaco-diff-editor .modified .view-line", { hasText: "// both" }).first().click();
      await page.keyboard.press("Control+Alt+Enter");
      await page.locator(".monaco-diff-editor").waitFor({ state: "detached" });
    };
    await answerInDiff();
    // Both are made at once: either can be first, and the panel may show the answer later than the editor.
    await panel.frame.getByText("1 of 2").waitFor({ state: "detached" });
    const next = (await panel.approvals.first().innerText()).includes("dates.ts") ? 0 : 1;
    const focused = page.locator(".editor-instance .monaco-editor.focused");
    await focused
      .locator(".view-line", { hasText: firsts[next] ?? "" })
      .first()
      .waitFor();
    await answerInDiff();
    await panel.conversation.getByText("I see.").waitFor();
    await eventually(async () => assert.ok(await panel.composer.evaluate((element) => element.matches(":focus"))));
    for (const file of files) assert.match(await textOf(file), /^\/\/ both\n/);
  });

  it("is called not answered when the user stops the run", async () => {
    const { fake, panel } = session();
    const file = "src/format/money.ts";
    const original = await textOf(file);
    const first = original.split("\n")[0] ?? "";
    await propose("Stop me", file, [first, `// money\n${first}`]);
    await panel.stop.click();
    await panel.stop.waitFor({ state: "detached" });
    await fake.script(turn("Go on", 0, [{ text: "I see." }]));
    await ask(panel, "Go on");
    const told = await report();
    assert.match(told, /Not answered: the user stopped the run/);
    assert.doesNotMatch(told, /[Rr]ejected/);
    assert.equal(await textOf(file), original);
  });

  it("is called rejected when the user rejects it, also where the user had changed its lines", async () => {
    const { editor } = session();
    const { page } = editor;
    const file = "src/pricing/taxes.ts";
    const first = (await textOf(file)).split("\n")[0] ?? "";
    const card = await propose("Tax it", file, [first, `${first} // taxed`]);
    await editor.openFile("taxes.ts");
    await page.locator(".view-line").first().click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("// mine ");
    await page.locator(".review-widget", { hasText: "in conflict" }).waitFor();
    // A card whose answers have just changed takes none for a moment.
    await untilEffective(
      () => card.getByRole("button", { name: "Reject", exact: true }).click(),
      async () => assert.equal(await card.count(), 0),
    );
    const told = await report();
    assert.match(told, /Rejected by the user without a reason/);
    assert.doesNotMatch(told, /lines changed/);
    await page.keyboard.press("Control+s");
  });

  it("is answered by keys in the comment that the status bar's hint leads to", async () => {
    const { editor } = session();
    const { page } = editor;
    const file = "src/pricing/discounts.ts";
    const original = await textOf(file);
    const lines = original.split("\n");
    const [first, later] = [lines[0] ?? "", lines[12] ?? ""];
    await propose("Discount", file, [first, `${first} // one`], [later, `${later} // two`]);
    await editor.openFile("discounts.ts");
    await page.locator(".review-widget").first().waitFor();
    await page.locator(".view-line").first().click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Control+Alt+Enter");
    await page.locator(".statusbar-item", { hasText: "Ctrl+Alt+PageDown goes to the next one" }).waitFor();
    assert.equal(await textOf(file), original);
    await page.keyboard.press("Alt+F9");
    await caretAt(13);
    // The keys act in a comment as soon as the extension knows where the caret went.
    await untilEffective(
      () => page.keyboard.press("Control+Alt+Enter"),
      async () => assert.equal(await textOf(file), original.replace(later, `${later} // two`)),
    );
    // An answer goes on to the next edit that waits, past the last one to the first.
    await caretAt(1);
    await page.keyboard.press("ArrowDown");
    await caretAt(2);
    await page.keyboard.press("Control+Alt+PageUp");
    await caretAt(1);
    await untilEffective(
      () => page.keyboard.press("Control+Alt+Backspace"),
      async () => assert.equal(await page.locator(".review-widget").count(), 0),
    );
    const told = await report();
    assert.match(told, /kept 1 change [^.]*, rejected 1\./);
    // The comment is gone, and with it the focus would be.
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("x");
    await page
      .locator(".view-line", { hasText: `x${first}` })
      .first()
      .waitFor();
  });

  it("is made on what was typed elsewhere in the file since the agent read it, and while it waits", async () => {
    const { fake, panel, editor } = session();
    const { page } = editor;
    const file = "src/cart/summary.ts";
    const original = await textOf(file);
    const lines = original.split("\n");
    const [first, last] = [lines[0] ?? "", lines[15] ?? ""];
    const typeAtEnd = async (text: string) => {
      await page.keyboard.press("Control+End");
      // As one piece, so that no completion goes on on its own.
      await page.keyboard.insertText(text);
    };
    await startAfresh(session());
    await fake.script(
      turn("Sum up", 0, [readStep(file)]),
      {
        when: { lastUser: "Sum up", turn: 1 },
        reply: { steps: [editStep(file, [first, `${first} // one`])], holdAt: "typed" },
      },
      {
        when: { lastUser: "Sum up", turn: 2 },
        reply: { steps: [editStep(file, [last, `${last} // two`])], holdAt: "saved" },
      },
      turn("Sum up", 3, [{ text: "I see." }]),
    );
    await ask(panel, "Sum up");
    await fake.reached("typed");
    await editor.openFile("summary.ts");
    await page.locator(".view-line").first().click();
    await typeAtEnd("// typed before\n");
    await fake.release("typed");
    const card = panel.approval("edit_file");
    await card.waitFor();
    await typeAtEnd("// typed while it waits\n");
    await card.getByRole("button", { name: "Accept", exact: true }).click();
    await fake.reached("saved");
    await page.locator(".view-line").first().click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.insertText("const top = 1;\n");
    await page.keyboard.press("Control+s");
    await eventually(async () => assert.match(await textOf(file), /^const top = 1;\n/));
    await fake.release("saved");
    await card.getByRole("button", { name: "Accept", exact: true }).click();
    const told = await report();
    const typed = "// typed before\n// typed while it waits\n";
    const expected = `const top = 1;\n${original.replace(first, `${first} // one`)}${typed}`.replace(
      last,
      `${last} // two`,
    );
    assert.equal(await textOf(file), expected);
    assert.doesNotMatch(told, /Read it again/);
    assert.equal(told.split("changed since you read it by the user or another program, in other lines").length, 3);
  });
});
