import assert from "node:assert/strict";
import { usePanel } from "../support/usePanel.ts";

/** Others find the panel's parts by these roles and names. */
describe("roles and names of the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("are there in an idle panel", async () => {
    const { page, problems } = await show("idle");
    await page.getByRole("textbox", { name: "Ask Agent", exact: true }).waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).waitFor();
    await page.getByRole("button", { name: "New chat", exact: true }).waitFor();
    await page.getByRole("log", { name: "Conversation", exact: true }).waitFor();
    await page.getByRole("combobox", { name: "Model", exact: true }).waitFor();
    const meter = page.getByRole("meter", { name: "Context window", exact: true });
    assert.equal(await meter.getAttribute("aria-valuenow"), "0");
    assert.equal(await meter.getAttribute("aria-valuetext"), "0 of 200k tokens");
    assert.equal(await page.getByRole("button", { name: "Stop", exact: true }).count(), 0);
    assert.deepEqual(problems, []);
  });

  it("offer setting up and the demo when no model could answer", async () => {
    const panel = await show("idle-setup");
    await panel.page.getByRole("button", { name: "Set up", exact: true }).click();
    await panel.page.getByRole("button", { name: "Try the demo", exact: true }).click();
    const actions = (await panel.intents()).flatMap((intent) =>
      intent.type === "noticeAction" ? [intent.action] : [],
    );
    assert.deepEqual(actions, ["setUp", "useDemo"]);
    await panel.page.getByText("Demo (offline, scripted)").waitFor();
  });

  it("offer three things to do in an empty chat, each of which is asked with what it is about", async () => {
    const panel = await show("idle");
    const offers = panel.page.locator(".offers").getByRole("button");
    assert.deepEqual(await offers.allInnerTexts(), ["Fix 3 problems", "Tour of the shop", "Explain auth.ts"]);
    await offers.first().click();
    assert.deepEqual((await panel.intents()).at(-1), {
      ...{ type: "send", text: "Fix the problems.", attachments: [{ kind: "problems" }], whenBusy: "queue" },
    });
  });

  it("offer to open a folder where none is open", async () => {
    const panel = await show("no-folder");
    await panel.page.getByRole("button", { name: "Open a folder", exact: true }).click();
    assert.deepEqual((await panel.intents()).at(-1), { type: "noticeAction", action: "openFolder" });
  });

  it("are there while a tree of agents runs", async () => {
    const { page, problems } = await show("running");
    const rows = page.getByRole("tree", { name: "Agents", exact: true }).getByRole("treeitem");
    const described = await rows.evaluateAll((elements) =>
      elements.map((element) => [
        element.querySelector(".agent-name")?.textContent,
        element.getAttribute("aria-level"),
        element.getAttribute("aria-expanded"),
        element.getAttribute("aria-selected"),
        element.getAttribute("data-status"),
      ]),
    );
    assert.deepEqual(described, [
      ["main", "1", "true", "true", "running"],
      ["explore", "2", "true", "false", "running"],
      ["tests", "3", null, "false", "running"],
      ["docs", "3", null, "false", "done"],
      ["edit", "2", null, "false", "running"],
    ]);
    await page.getByRole("treeitem", { name: "docs done, 6k tokens, $0.01", exact: true }).waitFor();
    await page.getByRole("treeitem", { name: /^tests running, 11k tokens/ }).waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
    await page.getByRole("article", { name: "You", exact: true }).waitFor();
    assert.equal(await page.getByRole("article", { name: "main", exact: true }).count(), 2);
    const card = page.getByRole("group", { name: "Read src/auth.ts 1-120", exact: true });
    assert.equal(await card.getAttribute("data-status"), "done");
    const usage = page.getByRole("status", { name: "Token usage", exact: true });
    assert.equal(await usage.textContent(), "In 80.7k (27k cached) · Out 4.5k · ≈$0.16");
    assert.equal(await page.getByRole("meter", { name: "Context window" }).getAttribute("aria-valuenow"), "21");
    assert.deepEqual(problems, []);
  });

  it("are there in an approval, a queue and the gauge's dialog", async () => {
    const approval = await show("approval");
    const group = approval.page.getByRole("group", { name: "Approval: edit_file src/auth/session.ts", exact: true });
    for (const name of ["Accept", "Reject", "Open diff", "Accept hunk 1", "Reject hunk 2"]) {
      await group.getByRole("button", { name, exact: true }).waitFor();
    }
    await group.getByRole("textbox", { name: "Reject with feedback…", exact: true }).waitFor();

    const queue = await show("queue");
    const region = queue.page.getByRole("region", { name: "Queue", exact: true });
    assert.equal(await region.getByRole("button", { name: "Remove", exact: true }).count(), 2);

    const gauge = await show("running");
    await gauge.page.getByRole("button", { name: "Context details, 21%", exact: true }).click();
    await gauge.page.getByRole("dialog", { name: "Context of main", exact: true }).waitFor();
    assert.deepEqual([...approval.problems, ...queue.problems, ...gauge.problems], []);
  });

  it("are there in code blocks and messages, and report to the host", async () => {
    const panel = await show("markdown");
    const { page } = panel;
    await page.getByRole("button", { name: "Copy code", exact: true }).click();
    await page.getByRole("button", { name: "Insert at cursor", exact: true }).click();
    await page.getByRole("article", { name: "You" }).getByRole("button", { name: "Copy", exact: true }).click();
    const intents = (await panel.intents()).filter(({ type }) => type === "copy" || type === "insertAtCursor");
    assert.deepEqual(
      intents.map((intent) => [intent.type, "text" in intent && intent.text.slice(0, 26)]),
      [
        ["copy", "export class Cache<Value> "],
        ["insertAtCursor", "export class Cache<Value> "],
        ["copy", "How does the cache work?\nA"],
      ],
    );
  });
});
