import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Rule, Step } from "../../support/fakeProvider/script.ts";
import { eventually } from "../eventually.ts";
import { runCommandAndChoose } from "../palette.ts";
import { arborPanel } from "../panel.ts";
import { ask } from "../run.ts";
import { workbenchIsDrawn } from "../workbench.ts";
import { useSession } from "./wire/session.ts";

const answer = (words: string, steps: Step[]): Rule => ({
  when: { lastUser: words, turn: 0 },
  reply: { steps, usage: { input: 100, output: 10 } },
});

describe("Several chats and their history", () => {
  const session = useSession("anthropic");
  before(async () => {
    await session().fake.script(
      answer("Count the prices", [{ text: "I count. " }, { gate: "prices" }, { text: "There are three." }]),
      answer("Name the modules", [{ text: "I look. " }, { gate: "modules" }, { text: "Cart and orders." }]),
      answer("And the taxes", [{ text: "There is one." }]),
      answer("And the discounts", [{ text: "There are none." }]),
    );
  });

  const view = () => arborPanel(session().editor.page, "view");
  const inHistory = (name: string) => view().frame.getByRole("listitem").filter({ hasText: name });
  async function openHistory(): Promise<void> {
    await view().button("History").click();
    await view().frame.getByRole("searchbox", { name: "Search chats" }).waitFor();
  }

  it("lets two chats run at once, one of them in an editor tab, each with its own words", async () => {
    const { editor, fake } = session();
    const panel = view();
    await ask(panel, "Count the prices");
    await fake.reached("prices");
    await panel.button("New chat").click();
    await panel.messages.first().waitFor({ state: "detached" });
    await ask(panel, "Name the modules");
    await fake.reached("modules");
    await openHistory();
    await inHistory("Count the prices").filter({ hasText: "running" }).waitFor();
    await inHistory("Name the modules").filter({ hasText: "running" }).waitFor();
    await inHistory("Count the prices").hover();
    await inHistory("Count the prices").getByRole("button", { name: "Open in editor" }).click();
    await panel.button("Close history").click();
    const tab = arborPanel(editor.page, "tab");
    await tab.conversation.getByText("I count.").waitFor();
    await tab.stop.waitFor();
    await panel.conversation.getByText("I look.").waitFor();
    await fake.release("modules");
    await panel.conversation.getByText("Cart and orders.").waitFor();
    await panel.stop.waitFor({ state: "hidden" });
    assert.equal(await tab.stop.isVisible(), true, "the other one runs on");
    await fake.release("prices");
    await tab.conversation.getByText("There are three.").waitFor();
    assert.doesNotMatch(await tab.conversation.innerText(), /Cart and orders/);
    assert.doesNotMatch(await panel.conversation.innerText(), /There are three/);
  });

  it("shows one chat in both places, live, and brings the tab back after a reload", async () => {
    const { editor } = session();
    const panel = view();
    await openHistory();
    await inHistory("Count the prices").getByRole("button").first().click();
    await panel.conversation.getByText("There are three.").waitFor();
    await ask(panel, "And the taxes");
    await arborPanel(editor.page, "tab").conversation.getByText("There is one.").waitFor();
    // By the command the window keeps which editors are open; a browser's reload does not wait for that.
    const marked = await editor.page.evaluateHandle(() => globalThis);
    await editor.runCommand("Developer: Reload Window");
    await eventually(() => assert.rejects(marked.evaluate(() => undefined)));
    await workbenchIsDrawn(editor.page);
    await editor.openPanel();
    for (const place of ["tab", "view"] as const) {
      await arborPanel(editor.page, place).conversation.getByText("There is one.").waitFor();
    }
  });

  it("forks from a message: the model is asked with what comes before it alone", async () => {
    const { fake } = session();
    const panel = view();
    const taxes = panel.messagesOf("You").filter({ hasText: "And the taxes" });
    await taxes.hover();
    await taxes.getByRole("button", { name: "Fork from here" }).click();
    await eventually(async () => assert.equal(await panel.composer.inputValue(), "And the taxes"));
    await panel.conversation.getByText("There are three.").waitFor();
    assert.equal(await panel.conversation.getByText("There is one.").count(), 0);
    const { length } = await fake.requests();
    await panel.composer.fill("And the discounts");
    await panel.send.click();
    await panel.conversation.getByText("There are none.").waitFor();
    const body = JSON.stringify((await fake.requests())[length]?.body);
    assert.match(body, /Count the prices.*There are three.*And the discounts/s);
    assert.doesNotMatch(body, /taxes/);
  });

  it("renames, finds by words, deletes and takes that back", async () => {
    const panel = view();
    await openHistory();
    const rows = panel.frame.getByRole("list", { name: "Chats" }).getByRole("listitem");
    await eventually(async () => assert.equal(await rows.count(), 3));
    await inHistory("Name the modules").hover();
    await inHistory("Name the modules").getByRole("button", { name: "Rename" }).click();
    await panel.frame.getByRole("textbox", { name: "Title of the chat" }).fill("Modules of the shop");
    await panel.frame.getByRole("textbox", { name: "Title of the chat" }).press("Enter");
    await inHistory("Modules of the shop").waitFor();
    const search = panel.frame.getByRole("searchbox", { name: "Search chats" });
    await search.fill("of the shop");
    await eventually(async () => assert.equal(await rows.count(), 1));
    await search.fill("discounts");
    await eventually(async () => assert.deepEqual(await rows.count(), 1));
    await inHistory("(fork)").waitFor();
    await search.fill("");
    await inHistory("Modules of the shop").hover();
    await inHistory("Modules of the shop").getByRole("button", { name: "Delete" }).click();
    await eventually(async () => assert.equal(await rows.count(), 2));
    await panel.frame.getByRole("note", { name: "Deleted chat" }).getByRole("button", { name: "Undo" }).click();
    await eventually(async () => assert.equal(await rows.count(), 3));
    await inHistory("Modules of the shop").getByRole("button").first().click();
    await panel.conversation.getByText("Cart and orders.").waitFor();
  });

  it("exports the chat of the active tab as Markdown to a file", async () => {
    const { editor, workspace } = session();
    await runCommandAndChoose(editor.page, "Arbor: Export Chat…", "Markdown");
    const dialog = editor.page.locator(".quick-input-widget", { hasText: "Export Chat" });
    await dialog
      .getByRole("button", { name: "OK" })
      .or(dialog.getByRole("button", { name: "Save" }))
      .first()
      .click();
    const file = path.join(workspace, "Count the prices.md");
    await eventually(async () => {
      const text = await readFile(file, "utf8");
      assert.match(
        text,
        /^# Count the prices\n\n## User\n\nCount the prices\n\n## Agent\n\nI count\. There are three\./,
      );
    });
  });
});
