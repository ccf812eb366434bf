import assert from "node:assert/strict";
import type { Approval } from "../../../src/protocol/hostEvents.ts";
import type { Intent } from "../../../src/protocol/messages.ts";
import { inConflict, oneHunk, scenes, sharing, twoHunks } from "../gallery/scenes.ts";
import type { PanelPage } from "../support/panelPage.ts";
import { recording } from "../support/recording.ts";
import { usePanel } from "../support/usePanel.ts";

async function answers(panel: PanelPage): Promise<Intent[]> {
  return (await panel.intents()).filter((intent) => intent.type === "decide" || intent.type === "openDiff");
}

async function together(panel: PanelPage): Promise<Intent[]> {
  return (await panel.intents()).filter((intent) => intent.type === "decide" || intent.type === "decideEdits");
}

const command: Approval = {
  ...oneHunk,
  ...{ id: "c1", toolName: "run_command", files: [], request: { kind: "command", text: "npm test" } },
};

/** Edits e1, e2 … that wait, each of which is asked for each time. */
function edits(count: number) {
  const log = recording();
  log.agent("main");
  for (let index = 1; index <= count; index++) {
    log.host({ type: "approval_requested", approval: { ...oneHunk, id: `e${index}` } });
  }
  return log;
}

describe("approvals in the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("show that the lines have changed as soon as they have, with the answers to that", async () => {
    const log = recording();
    log.agent("main");
    log.host({ type: "approval_requested", approval: twoHunks });
    const panel = await show([log.chat()]);
    const card = panel.page.getByRole("group", { name: /^Approval: edit_file/ });
    const button = (name: string) => card.getByRole("button", { name, exact: true });
    assert.equal(await button("Accept").count(), 1);
    const seq = log.lastSeq;
    log.host({ type: "approval_requested", approval: inConflict(twoHunks) });
    await panel.post(log.since(seq));
    await card.getByText("The lines this replaces have changed.").first().waitFor();
    await panel.answerable();
    assert.equal(await button("Accept").count(), 0, "nothing of it can be written as it is");
    await button("Merge…").first().click();
    await button("Use agent's lines").first().click();
    await button("Keep mine").last().click();
    assert.deepEqual(
      (await panel.intents()).filter(({ type }) => type === "decide" || type === "mergeHunk"),
      [
        { type: "mergeHunk", hunkId: "h1" },
        { type: "decide", approvalId: "a1", hunkId: "h1", decision: "accepted", isOver: true },
        { type: "decide", approvalId: "a1", hunkId: "h2", decision: "rejected" },
      ],
    );
  });

  it("post what was pressed: all, one hunk, the diff", async () => {
    const panel = await show("approval");
    const card = panel.page.getByRole("group", { name: /^Approval: edit_file src\/auth\/session.ts/ });
    for (const name of ["Accept hunk 2", "Reject hunk 1", "Open diff", "Accept", "Reject"]) {
      await card.getByRole("button", { name, exact: true }).click();
    }
    assert.deepEqual(await answers(panel), [
      { type: "decide", approvalId: "a1", hunkId: "h2", decision: "accepted" },
      { type: "decide", approvalId: "a1", hunkId: "h1", decision: "rejected" },
      { type: "openDiff", approvalId: "a1", path: "src/auth/session.ts" },
      { type: "decide", approvalId: "a1", decision: "accepted" },
      { type: "decide", approvalId: "a1", decision: "rejected" },
    ]);
  });

  it("offer to accept the imports of a moved file once its move is accepted", async () => {
    const log = recording();
    log.agent("main");
    const [file] = oneHunk.files;
    const [hunk] = file?.hunks ?? [];
    assert.ok(file && hunk);
    const moved = { path: "a.ts", change: "delete" as const, movedTo: "b.ts", languageId: "typescript" };
    const files = [
      { ...moved, hunks: [{ ...hunk, id: "move", oldLines: [], newLines: [] }] },
      { ...file, follows: "a.ts", hunks: [{ ...hunk, id: "import" }] },
    ];
    log.host({ type: "approval_requested", approval: { ...oneHunk, files } });
    const panel = await show([log.chat()]);
    const accept = (path: string) => panel.page.getByRole("button", { name: `Accept ${path}`, exact: true });
    const follower = accept(file.path);
    assert.deepEqual([await accept("a.ts").isDisabled(), await follower.isDisabled()], [false, true]);
    assert.match((await follower.getAttribute("title")) ?? "", /^Accept the move of a\.ts first/);
    log.host({ type: "hunk_decided", approvalId: oneHunk.id, hunkId: "move", decision: "accepted" });
    await panel.post(log.chat());
    await follower.and(panel.page.locator(":enabled")).waitFor();
    assert.equal(await accept("a.ts").count(), 0);
  });

  it("are closed by an answer once the user has taken out what was not accepted, and offer no undo", async () => {
    const log = recording();
    log.agent("main");
    const [file] = oneHunk.files;
    const [hunk] = file?.hunks ?? [];
    assert.ok(file && hunk);
    const files = [{ ...file, hunks: [{ ...hunk, decision: "accepted" as const }] }];
    log.host({ type: "approval_requested", approval: { ...oneHunk, files } });
    const panel = await show([log.chat()]);
    await panel.answerable();
    assert.equal(await panel.page.getByRole("button", { name: "Undo", exact: true }).count(), 0);
    await panel.page.getByRole("button", { name: "Accept", exact: true }).click();
    assert.deepEqual(await answers(panel), [{ type: "decide", approvalId: oneHunk.id, decision: "accepted" }]);
  });

  it("of several files have one line each, which is answered separately and opens to its hunks", async () => {
    const panel = await show("several-files");
    const { page } = panel;
    const card = page.getByRole("group", { name: /^Approval: apply_patch/ });
    assert.match((await card.textContent()) ?? "", /^main proposes 6 files \+6 −6, 1 new, 1 moved, 1 deleted/);
    assert.equal(await card.locator(".hunk").count(), 0, "folded");
    const row = (path: string) => card.getByRole("region", { name: path, exact: true });
    assert.match((await row("src/money/round.ts").textContent()) ?? "", /moved to src\/money\/cents\.ts/);
    await panel.answerable();
    await page.getByRole("button", { name: "Accept src/cart/totals.ts", exact: true }).click();
    await page.getByRole("button", { name: "Reject src/cart/legacy.ts", exact: true }).click();
    const fold = row("src/cart/receipt.ts").getByRole("button", {
      name: "Changes of src/cart/receipt.ts",
      exact: true,
    });
    await fold.press("Enter");
    await row("src/cart/receipt.ts").getByText("line(item.name, item.count)").waitFor();
    await row("src/cart/receipt.ts").getByRole("button", { name: "Open diff", exact: true }).click();
    assert.deepEqual(await answers(panel), [
      { type: "decide", approvalId: "several", path: "src/cart/totals.ts", decision: "accepted" },
      { type: "decide", approvalId: "several", path: "src/cart/legacy.ts", decision: "rejected" },
      { type: "openDiff", approvalId: "several", path: "src/cart/receipt.ts" },
    ]);
  });

  it("that are edits are listed with their files, and answered together once they were in view", async () => {
    const panel = await show("several-edits", { height: 1_000 });
    const { page } = panel;
    const list = page.getByRole("region", { name: "Waiting edits", exact: true });
    assert.match((await list.textContent()) ?? "", /^3 edits \+9 −8/);
    assert.equal(await list.getByRole("listitem").count(), 8);
    await list.getByRole("link", { name: "receipt.ts", exact: true }).last().click();
    await page.getByRole("group", { name: "Approval: apply_patch src/cart/receipt.ts", exact: true }).waitFor();
    await list.getByRole("button", { name: "Review all", exact: true }).click();
    const accept = list.getByRole("button", { name: "Accept all", exact: true });
    await accept.and(page.locator(":not([aria-disabled])")).click();
    assert.deepEqual(await together(panel), [
      { type: "decideEdits", approvalIds: ["several", "one-0", "one-1"], decision: "accepted" },
    ]);
    assert.ok((await panel.intents()).some(({ type }) => type === "reviewPending"));
  });

  it("14 hide nothing in hunks, and name the letters of a path that look like others", async () => {
    const log = recording();
    log.agent("main");
    const files = oneHunk.files.map((file) => ({
      ...file,
      path: "src/\u0430uth.ts",
      hunks: file.hunks.map((hunk) => ({ ...hunk, newLines: ["if (isAdmin\u202e\u2066) {\u200b", "\treturn;"] })),
    }));
    log.host({ type: "approval_requested", approval: { ...oneHunk, files } });
    const panel = await show([log.chat()]);
    const card = panel.page.getByRole("group", { name: /^Approval/ });
    const text = (await card.textContent()) ?? "";
    assert.ok(text.includes("if (isAdmin\\u{202e}\\u{2066}) {\\u{200b}"), text);
    assert.ok(text.includes("\treturn;"), text);
    assert.ok(text.includes("Letters look like others in: \u0430uth (U+0430)"), text);
  });

  it("of which the user has taken every change out are no edits that are written", async () => {
    const log = recording();
    log.agent("main");
    const files = oneHunk.files.map((file) => ({ ...file, hunks: [] }));
    log.host({ type: "approval_requested", approval: { ...oneHunk, files } });
    const panel = await show([log.chat()]);
    const card = panel.page.getByRole("group", { name: /^Approval/ });
    await card.getByText("proposes an edit").waitFor();
    await card.getByRole("button", { name: "Reject", exact: true }).click();
    assert.deepEqual(await answers(panel), [{ type: "decide", approvalId: oneHunk.id, decision: "rejected" }]);
  });

  it("lead to the file itself, where its first hunk is", async () => {
    const panel = await show("approval");
    await panel.page
      .getByRole("group", { name: /^Approval/ })
      .getByRole("link", { name: "session.ts" })
      .click();
    const opened = (await panel.intents()).filter(({ type }) => type === "openFile");
    const [first] = twoHunks.files[0]?.hunks ?? [];
    assert.deepEqual(opened, [{ type: "openFile", path: "src/auth/session.ts", line: first?.oldStart }]);
  });

  it("carry the words of a rejection, typed with Enter or with the button", async () => {
    const panel = await show("approval");
    const reason = panel.page.getByRole("textbox", { name: "Reject with feedback…" });
    await reason.fill("use the adapter");
    await panel.page.keyboard.press("Control+Backspace");
    await panel.page.keyboard.press("Enter");
    await panel.page.getByRole("button", { name: "Reject", exact: true }).click();
    assert.deepEqual(await answers(panel), [
      { type: "decide", approvalId: "a1", decision: "rejected", reason: "use the" },
      { type: "decide", approvalId: "a1", decision: "rejected", reason: "use the" },
    ]);
  });

  it("are answered by keys with an empty composer only", async () => {
    const panel = await show("approval");
    const composer = panel.page.getByRole("textbox", { name: "Ask Agent" });
    await composer.fill("words");
    await panel.page.keyboard.press("Control+Enter");
    assert.deepEqual(await answers(panel), []);
    await composer.focus();
    await panel.page.keyboard.press("Control+Enter");
    assert.deepEqual(await answers(panel), [{ type: "decide", approvalId: "a1", decision: "accepted" }]);
  });

  it("are answered by keys with the focus in their card, whatever the composer holds", async () => {
    const panel = await show("approval");
    await panel.page.getByRole("textbox", { name: "Ask Agent" }).fill("words");
    await panel.page.getByRole("button", { name: "Open diff", exact: true }).focus();
    await panel.page.keyboard.press("Control+Backspace");
    assert.deepEqual(await answers(panel), [{ type: "decide", approvalId: "a1", decision: "rejected" }]);
  });

  it("of a hook before the first agent of a chat have a whole sentence", async () => {
    const log = recording();
    const request = { kind: "hook", text: "touch here" } as const;
    const approval = { id: "h1", toolName: "hook", agentId: "none", agentPath: [], callId: "", files: [], request };
    log.host({ type: "approval_requested", approval });
    const { page } = await show([log.chat()]);
    const card = page.getByRole("group", { name: /^Approval: / });
    assert.equal((await card.locator(".approval-lineage").textContent())?.trim(), "A hook asks");
  });

  it("that several agents ask for alike are one card with all their names, and one answer", async () => {
    const panel = await show([sharing().chat()]);
    const { page } = panel;
    const card = page.getByRole("group", { name: "Approval: edit_file src/login.ts" });
    assert.equal(await card.count(), 1);
    assert.match((await card.textContent()) ?? "", /main › edit-1 and main › edit-2 propose an edit/);
    for (const name of ["edit-1", "edit-2"]) {
      const row = page.getByRole("treeitem", { name: new RegExp(`^${name}`) });
      assert.equal(await row.getAttribute("data-status"), "waiting");
    }
    await card.getByRole("button", { name: "More answers" }).click();
    await card.getByRole("menuitem", { name: "These agents and their sub-agents" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Enter");
    assert.deepEqual(await answers(panel), [{ type: "decide", approvalId: "a2", decision: "accepted" }]);
  });

  it("of edits are accepted together from the menu, and nothing is allowed for later", async () => {
    const panel = await show("approval");
    const { page } = panel;
    const opener = page.getByRole("button", { name: "More answers" });
    await opener.click();
    await page.getByRole("menuitem", { name: "Accept all 2 edits", exact: true }).click();
    await page.getByRole("menu").waitFor({ state: "detached" });
    assert.equal(await opener.evaluate((button) => button === document.activeElement), true);
    assert.deepEqual(await together(panel), [{ type: "decideEdits", approvalIds: ["a1", "a2"], decision: "accepted" }]);
  });

  it("of edits are rejected together by keys, with the words that were typed", async () => {
    const panel = await show("approval");
    const { page } = panel;
    await page.getByRole("textbox", { name: "Reject with feedback…" }).fill("use the adapter");
    await page.getByRole("button", { name: "More answers" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    assert.deepEqual(await together(panel), [
      { type: "decideEdits", approvalIds: ["a1", "a2"], decision: "rejected", reason: "use the adapter" },
    ]);
  });

  it("that come while the button is held are not among those that it answers", async () => {
    const log = edits(2);
    const panel = await show([log.chat()]);
    const { page } = panel;
    await page.getByRole("button", { name: "More answers" }).click();
    await page.getByRole("menuitem", { name: "Accept all 2 edits" }).hover();
    await page.mouse.down();
    const seq = log.lastSeq;
    log.host({ type: "approval_requested", approval: { ...oneHunk, id: "late" } });
    await panel.post(log.since(seq));
    await page.getByRole("menuitem", { name: "Accept all 3 edits" }).waitFor();
    await page.mouse.up();
    assert.deepEqual(await together(panel), [{ type: "decideEdits", approvalIds: ["e1", "e2"], decision: "accepted" }]);
  });

  it("are answered together only where several edits wait, and commands are not among them", async () => {
    const log = edits(1);
    log.host({ type: "approval_requested", approval: command });
    const panel = await show([log.chat()]);
    const { page } = panel;
    await page.getByText("1 of 2 pending").waitFor();
    assert.equal(await page.getByRole("button", { name: "More answers" }).count(), 0);
    const seq = log.lastSeq;
    log.host({ type: "approval_requested", approval: { ...oneHunk, id: "e2" } });
    await panel.post(log.since(seq));
    await page.getByRole("button", { name: "More answers" }).click();
    await page.getByRole("menu", { name: "More answers" }).waitFor();
    await page.keyboard.press("Enter");
    assert.deepEqual(await together(panel), [{ type: "decideEdits", approvalIds: ["e1", "e2"], decision: "accepted" }]);
    await page.getByRole("button", { name: "Next approval" }).click();
    await page.getByRole("group", { name: "Approval: run_command npm test" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "More answers" }).count(), 0);
  });

  it("wait one behind the other, and the next is another card", async () => {
    const panel = await show("approval");
    const { page } = panel;
    await page.getByText("1 of 2 pending").waitFor();
    await page.getByRole("button", { name: "Next approval" }).click();
    await page.getByRole("group", { name: "Approval: edit_file src/login.ts" }).waitFor();
    await page.getByRole("button", { name: "Accept", exact: true }).click();
    assert.deepEqual(await answers(panel), [{ type: "decide", approvalId: "a2", decision: "accepted" }]);
  });

  it("show which hunk was decided, and go when the host closes them", async () => {
    const log = recording();
    const main = log.agent("main");
    log.host({ type: "approval_requested", approval: { ...twoHunks, agentId: main.id } });
    log.host({ type: "hunk_decided", approvalId: "a1", hunkId: "h1", decision: "accepted" });
    const panel = await show([log.chat()]);
    const card = panel.page.getByRole("group", { name: /^Approval/ });
    assert.equal(await card.getByRole("button", { name: "Accept hunk 1", exact: true }).count(), 0);
    await card.getByText("accepted", { exact: true }).waitFor();
    const seq = log.lastSeq;
    log.host({ type: "approval_closed", approvalId: "a1", outcome: "partly" });
    await panel.post(log.since(seq));
    await card.waitFor({ state: "detached" });
  });

  it("of a command show all of it and are answered likewise", async () => {
    const panel = await show("command");
    const name = "Approval: run_command npm test -- --grep auth\\u{a}&& git status";
    const card = panel.page.getByRole("group", { name, exact: true });
    await card.getByText("runs a script of package.json").waitFor();
    await card.getByRole("button", { name: "Reject", exact: true }).click();
    assert.deepEqual(await answers(panel), [{ type: "decide", approvalId: "a3", decision: "rejected" }]);
    assert.equal(await card.getByRole("button", { name: "Open diff" }).count(), 0);
  });

  it("of a command run what the user made of it, however they are answered, or what was asked for once that is undone", async () => {
    const panel = await show("command");
    const { page } = panel;
    const card = page.getByRole("group", { name: /^Approval: run_command/ });
    const edit = () => card.getByRole("button", { name: "Edit command", exact: true }).click();
    const field = card.getByRole("textbox", { name: "Command to run", exact: true });
    const run = card.getByRole("button", { name: "Run", exact: true });
    await edit();
    assert.equal(await field.inputValue(), "npm test -- --grep auth\n&& git status");
    await panel.answerable();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("npm test words");
    await page.keyboard.press("Control+Backspace");
    await page.keyboard.press("Control+Enter");
    // The command palette knows no field, and means what is seen.
    await panel.answerable();
    await panel.post({ type: "answer", decision: "accepted" });
    await panel.drawn();
    const given = { type: "decide", approvalId: "a3", decision: "accepted" };
    const edited = { ...given, command: "npm test " };
    assert.deepEqual(await answers(panel), [edited, edited]);
    assert.equal(await card.getByRole("button", { name: "More answers" }).count(), 0, "it is allowed once");
    await panel.answerable();
    await field.fill(" ");
    await panel.drawn();
    await run.click({ force: true });
    assert.equal((await answers(panel)).length, 2, "there is nothing to run");
    await field.press("Escape");
    await field.waitFor({ state: "detached" });
    await card.getByText("&& git status").waitFor();
    await edit();
    await card.getByRole("button", { name: "Undo changes of the command", exact: true }).click();
    await run.click();
    assert.deepEqual((await answers(panel)).at(-1), given);
    assert.equal((await panel.intents()).filter(({ type }) => type === "stop").length, 0);
  });

  it("say why they are asked for where the mode would not ask", async () => {
    const log = recording();
    log.agent("main");
    const why = "Always asked for: .vscode/tasks.json can hold secrets or decide what runs.";
    log.host({ type: "approval_requested", approval: { ...oneHunk, why: [why] } });
    const { page } = await show([log.chat({ mode: "auto-edit" })]);
    await page
      .getByRole("group", { name: /^Approval/ })
      .getByText(why, { exact: true })
      .waitFor();
  });

  it("lead to the lines of each hunk", async () => {
    const panel = await show("approval");
    const [, second] = twoHunks.files[0]?.hunks ?? [];
    await panel.page.getByRole("link", { name: `Line ${second?.oldStart}`, exact: true }).click();
    const opened = (await panel.intents()).at(-1);
    assert.deepEqual(opened, { type: "openFile", path: "src/auth/session.ts", line: second?.oldStart });
  });

  it("have no buttons for a hunk that is the only one", async () => {
    const log = recording();
    const main = log.agent("main");
    log.host({ type: "approval_requested", approval: { ...oneHunk, agentId: main.id } });
    const { page } = await show([log.chat()]);
    await page.getByRole("group", { name: /^Approval/ }).waitFor();
    assert.equal(await page.getByRole("button", { name: /hunk/ }).count(), 0);
  });
});

describe("questions in the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("are answered by a choice, in other words, or not at all", async () => {
    const panel = await show("question");
    const card = panel.page.getByRole("group", { name: /^Question: Old sessions have no token/ });
    await card.getByRole("button", { name: "Sign them out", exact: true }).click();
    await panel.answerable();
    await card.getByRole("textbox", { name: "Answer…" }).fill("ask each of them");
    await panel.page.keyboard.press("Enter");
    await card.getByRole("button", { name: "You decide", exact: true }).click();
    const given = (await panel.intents()).flatMap((intent) => (intent.type === "answerQuestion" ? [intent.text] : []));
    assert.deepEqual(given, ["Sign them out", "ask each of them", ""]);
    assert.equal(await panel.page.getByRole("treeitem", { name: /^main/ }).getAttribute("data-status"), "waiting");
  });
});

describe("a question that is answered before it takes answers", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("is answered as soon as it does, and once", async () => {
    const panel = await show();
    await panel.page.evaluate(() => {
      // It is in view when the test says so.
      Object.assign(globalThis, {
        IntersectionObserver: class {
          constructor(seen: (entries: object[]) => void) {
            Object.assign(globalThis, { comeIntoView: () => seen([{ isIntersecting: true }]) });
          }
          observe() {}
          disconnect() {}
        },
      });
    });
    for (const message of scenes.question?.().messages ?? []) await panel.post(message);
    await panel.drawn();
    const given = async () => (await panel.intents()).filter(({ type }) => type === "answerQuestion");
    await panel.page.getByRole("textbox", { name: "Answer…" }).fill("ask each of them");
    for (const key of ["Enter", "Enter"]) await panel.page.keyboard.press(key);
    assert.deepEqual(await given(), []);
    await panel.page.evaluate("comeIntoView()");
    await panel.page.waitForFunction(() => globalThis.posted.some(({ type }) => type === "answerQuestion"));
    await panel.answerable();
    assert.deepEqual(
      (await given()).map((intent) => intent.type === "answerQuestion" && intent.text),
      ["ask each of them"],
    );
  });
});

describe("plan in the panel", function () {
  this.timeout(60_000);
  const show = usePanel();

  it("is one line with what is being done, and opens to all of it", async () => {
    const { page } = await show("plan");
    const plan = page.getByRole("region", { name: "Plan", exact: true });
    await plan.getByRole("button", { name: "Plan 2/5 Write the token adapter" }).click();
    await plan.getByRole("listitem").nth(4).waitFor();
    assert.match(
      (await plan.getByRole("listitem").nth(2).textContent()) ?? "",
      /^in progress: Write the token adapter$/,
    );
  });
});
