import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access, appendFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { RecordedRequest, Step } from "../../support/fakeProvider/script.ts";
import { eventually, untilEffective } from "../eventually.ts";
import { readRows } from "../readPanel.ts";
import { ask, seeThrough } from "../run.ts";
import { openTerminal } from "../terminal.ts";
import { turn } from "./scripted.ts";
import { startAfresh, useSession } from "./wire/session.ts";

const run = (command: string): Step => ({ tool: "run_command", arguments: { command } });
const delegate = (agent: string, task: string): Step => ({
  tool: "delegate_to_agent",
  arguments: { agent, task, context: "" },
});

/** A repository with one commit and a change since, and a file that the editor finds fault with. */
async function makeRepository(workspace: string): Promise<void> {
  const git = (...args: string[]) => promisify(execFile)("git", args, { cwd: workspace });
  await git("init", "-q");
  await git("add", ".");
  await git("-c", "user.name=Test", "-c", "user.email=test@localhost", "commit", "-q", "-m", "Begin");
  await appendFile(path.join(workspace, "README.md"), "A line nobody has reviewed.\n");
  await writeFile(path.join(workspace, "broken.json"), "oops\n");
}

describe("Steering, in an editor", () => {
  const session = useSession("openai", makeRepository, {}, undefined, { builtIns: "all" });
  beforeEach(() => startAfresh(session()));

  const inWorkspace = (file: string) => path.join(session().workspace, file);
  const bodyOf = (request: RecordedRequest | undefined) => JSON.stringify(request?.body);
  const lastRequest = async () => bodyOf((await session().fake.requests()).at(-1));
  /** The status bar's entry, by what it says. */
  const status = (words: string) => session().editor.page.getByRole("button", { name: `Arbor: ${words}`, exact: true });

  /** main has asked an explorer, which is in the middle of an answer. */
  async function exploring(): Promise<void> {
    const { fake, panel } = session();
    await fake.script(
      turn("Survey", 0, [delegate("explore", "look around")]),
      turn("look around", 0, [{ text: "I look. " }, { gate: "looking" }, { tool: "list_files", arguments: {} }]),
      turn("look around", 1, [{ text: "Nothing." }]),
      turn("turn left", 0, [{ text: "I turned left." }]),
      turn("Survey", 1, [{ text: "Surveyed." }]),
    );
    await ask(panel, "Survey");
    await fake.reached("looking");
    await panel.row("explore").hover();
  }

  it("one agent is stopped and the one that asked it goes on", async () => {
    const { fake, panel } = session();
    await exploring();
    await panel.button("Stop explore").click();
    assert.equal(await fake.settled(1), "closed");
    await panel.messagesOf("main").filter({ hasText: "Surveyed." }).waitFor();
    assert.match(await lastRequest(), /stopped|aborted|canceled|cancelled/i);
    assert.deepEqual(
      (await readRows(panel)).map(({ name, status }) => [name, status]),
      [
        ["main", "done"],
        ["explore", "aborted"],
      ],
    );
  });

  it("Steering with echo: one agent gets a message while it runs, and the one that asked it learns of it", async () => {
    const { fake, panel } = session();
    await exploring();
    await panel.button("Message explore").click();
    await panel.frame.getByRole("textbox", { name: /^Message .+…$/ }).fill("turn left");
    await panel.composer.page().keyboard.press("Enter");
    await fake.release("looking");
    await panel.messagesOf("main").filter({ hasText: "Surveyed." }).waitFor();
    const requests = await fake.requests();
    assert.equal(requests.filter((request) => bodyOf(request).includes("turn left")).length >= 1, true);
    assert.ok(bodyOf(requests[2]).includes("turn left"), "the explorer's second request holds the words");
    assert.ok(bodyOf(requests.at(-1)).includes("I turned left."), "its parent heard what came of them");
    assert.ok(bodyOf(requests.at(-1)).includes("<user_steering>"), "and what the user had said");
    await panel.conversation.getByText("You told explore: turn left").waitFor();
  });

  it("one agent is paused: its tool finishes, and no request follows until it is resumed", async () => {
    const { fake, panel } = session();
    await exploring();
    await panel.button("Pause explore").click();
    const resume = panel.button("Resume explore");
    await resume.waitFor();
    await fake.release("looking");
    await panel.row("explore").click();
    await panel.frame.locator('.tool-card[data-status="done"]').first().waitFor();
    assert.equal((await fake.requests()).length, 2);
    assert.match((await panel.row("explore").getAttribute("aria-description")) ?? "", /^paused$/);
    await panel.row("explore").hover();
    await resume.click();
    await panel.row("main").click();
    await panel.messagesOf("main").filter({ hasText: "Surveyed." }).waitFor();
    assert.equal((await fake.requests()).length, 4);
  });

  it("a command that is allowed for the session is not asked for again, until that is withdrawn", async () => {
    const { fake, panel } = session();
    const command = "echo again >> again.txt";
    await fake.script(
      turn("Twice", 0, [run(command)]),
      turn("Twice", 1, [run(command)]),
      turn("Twice", 2, [{ text: "Both ran." }]),
      turn("Once more", 0, [run(command)]),
      turn("Once more", 1, [{ text: "Asked." }]),
    );
    await ask(panel, "Twice");
    const card = panel.approval(`run_command ${command}`);
    await card.getByRole("button", { name: "More answers" }).click();
    await card.getByRole("menuitem", { name: "All agents in this chat" }).click();
    await panel.messagesOf("main").filter({ hasText: "Both ran." }).waitFor();
    await panel.conversation.getByText("Allowed by you for this chat").waitFor();
    assert.equal(await panel.conversation.getByText("Allowed by you for this chat").count(), 1);
    await panel.button("Allowed without asking: 1").click();
    await panel.button(`Remove ${command}`).click();
    await panel.frame.getByRole("region", { name: "Allowed without asking" }).waitFor({ state: "detached" });
    await ask(panel, "Once more");
    await panel.approval(`run_command ${command}`).waitFor();
    assert.deepEqual(await seeThrough(panel, "none"), { ok: true });
  });

  it("in plan mode nothing is written, no matter who tries, and afterwards it can be", async () => {
    const { fake, panel } = session();
    const write: Step = { tool: "write_file", arguments: { path: "planned.txt", content: "x\n" } };
    await fake.script(
      turn("Plan it", 0, [write]),
      turn("Plan it", 1, [delegate("edit", "write for me")]),
      turn("write for me", 0, [write]),
      turn("write for me", 1, [{ text: "I may not." }]),
      turn("Plan it", 2, [{ text: "Here is the plan." }]),
      turn("Do it", 0, [write]),
      turn("Do it", 1, [{ text: "Written." }]),
    );
    const mode = panel.frame.getByRole("combobox", { name: "Mode", exact: true });
    await mode.click();
    await mode.getByRole("option", { name: "Plan (read-only)", exact: true }).click();
    await eventually(async () => assert.match((await mode.getAttribute("title")) ?? "", /plan/));
    await ask(panel, "Plan it");
    await panel.messagesOf("main").filter({ hasText: "Here is the plan." }).waitFor();
    const requests = await fake.requests();
    const offered = (body: unknown) => JSON.stringify((body as { tools?: unknown }).tools);
    assert.match(offered(requests[0]?.body), /write_file.*run_command/);
    for (const request of [requests[1], requests[3]]) {
      assert.match(bodyOf(request), /write_file is not allowed in plan mode[^"]* Describe the change/);
      assert.doesNotMatch(bodyOf(request), /Unknown tool/);
    }
    await assert.rejects(access(inWorkspace("planned.txt")));
    await mode.click();
    await mode.getByRole("option", { name: "Ask first", exact: true }).click();
    await eventually(async () => assert.match((await mode.getAttribute("title")) ?? "", /ask/));
    await ask(panel, "Do it");
    await panel.approval("write_file planned.txt").waitFor();
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    await access(inWorkspace("planned.txt"));
    const later = (await fake.requests()).at(-1);
    assert.equal(offered(later?.body), offered(requests[0]?.body), "the mode changes nothing of the request's prefix");
  });

  it("the model is asked to think as much as was chosen, and so are those it hands work to", async () => {
    const { fake, panel } = session();
    await fake.script(
      turn("Think first", 0, [delegate("explore", "think too")]),
      turn("think too", 0, [{ text: "I thought." }]),
      turn("Think first", 1, [{ text: "Thought." }]),
    );
    const thinking = panel.frame.getByRole("combobox", { name: "Thinking", exact: true });
    const choose = async (level: string) => {
      await thinking.click();
      await thinking.getByRole("option", { name: level, exact: true }).click();
      await eventually(async () => assert.equal(await thinking.getAttribute("title"), `Thinking: ${level}`));
    };
    await choose("Low");
    await ask(panel, "Think first");
    await panel.messagesOf("main").filter({ hasText: "Thought." }).waitFor();
    const requests = await fake.requests();
    assert.equal(requests.length, 3);
    for (const request of requests) assert.match(bodyOf(request), /"effort":"low"/);
    await choose("No thinking");
  });

  it("the status bar says who runs and what waits, and leads there", async () => {
    const { fake, panel, editor } = session();
    await fake.script(
      turn("Wait for it", 0, [{ gate: "thinking" }, run("touch hi.txt")]),
      turn("Wait for it", 1, [{ text: "Over." }]),
    );
    await ask(panel, "Wait for it");
    await fake.reached("thinking");
    await status("1 running").waitFor();
    await fake.release("thinking");
    await status("1 waiting").waitFor();
    await editor.openFile("README.md");
    await status("1 waiting").click();
    const card = panel.approval("run_command touch hi.txt");
    await card.and(panel.frame.locator(":focus")).waitFor();
    // The editor learns a moment later that the panel has the focus.
    await untilEffective(
      () => editor.page.keyboard.press("Control+Alt+Enter"),
      async () => assert.equal(await card.count(), 0),
    );
    await panel.messagesOf("main").filter({ hasText: "Over." }).waitFor();
    await status("1 running").waitFor({ state: "detached" });
  });

  it("the light bulb hands a problem to the agent, with its words and lines", async () => {
    const { fake, panel, editor } = session();
    await fake.script(turn("Fix this problem in broken.json", 0, [{ text: "It is no JSON." }]));
    await editor.openFile("broken.json");
    await editor.page.locator(".squiggly-error").first().waitFor();
    await editor.page.keyboard.press("Control+Home");
    const fix = editor.page.locator(".action-widget").getByText("Fix with Arbor");
    await untilEffective(
      () => editor.page.keyboard.press("Control+."),
      async () => assert.equal(await fix.count(), 1),
    );
    await fix.click();
    await panel.messagesOf("main").filter({ hasText: "It is no JSON." }).waitFor();
    const request = await lastRequest();
    assert.match(request, /line 1: Expected a JSON object, array or literal/);
    assert.match(request, /oops/);
  });

  it("changes that are not committed are reviewed from the source control view", async () => {
    const { fake, panel, editor } = session();
    await fake.script(turn("Review my uncommitted changes", 0, [{ text: "One line, harmless." }]));
    await editor.runCommand("Source Control: Focus on Changes View");
    await editor.page.getByRole("button", { name: "Review My Changes" }).first().click();
    await panel.messagesOf("main").filter({ hasText: "One line, harmless." }).waitFor();
    assert.match(await lastRequest(), /A line nobody has reviewed/);
  });

  it("in auto-edit mode files are written unasked, but not those that decide what runs", async () => {
    const { fake, panel } = session();
    const write = (file: string): Step => ({ tool: "write_file", arguments: { path: file, content: "x\n" } });
    await fake.script(
      turn("Write both", 0, [write("free.txt"), write(".vscode/tasks.json")]),
      turn("Write both", 1, [{ text: "Tried." }]),
    );
    const mode = panel.frame.getByRole("combobox", { name: "Mode", exact: true });
    await mode.click();
    await mode.getByRole("option", { name: "Auto-edit", exact: true }).click();
    await eventually(async () => assert.match((await mode.getAttribute("title")) ?? "", /auto-edit/));
    await ask(panel, "Write both");
    const card = panel.approval("write_file .vscode/tasks.json");
    await card.waitFor();
    await eventually(() => access(inWorkspace("free.txt")));
    assert.equal(await card.getByRole("button", { name: "More answers" }).count(), 0);
    await card.getByText("Always asked for: .vscode/tasks.json can hold secrets or decide what runs.").waitFor();
    assert.deepEqual(await seeThrough(panel, "none"), { ok: true });
    await assert.rejects(access(inWorkspace(".vscode/tasks.json")));
    await mode.click();
    await mode.getByRole("option", { name: "Ask first", exact: true }).click();
    await eventually(async () => assert.match((await mode.getAttribute("title")) ?? "", /ask/));
  });

  it("a file is asked about from the explorer's menu", async () => {
    const { fake, panel, editor } = session();
    await fake.script(turn("What is it for?", 0, [{ text: "It names the shop." }]));
    await editor.runCommand("View: Show Explorer");
    await editor.page.getByRole("treeitem", { name: "package.json" }).click({ button: "right" });
    // A menu of the editor's takes no click in the moment in which it opens.
    await editor.page.getByRole("menuitem", { name: "Ask Agent About This" }).hover();
    await editor.page.keyboard.press("Enter");
    const input = editor.page.locator(".quick-input-widget input");
    await editor.page.locator(".quick-input-widget").getByText("Attached: package.json").waitFor();
    await input.fill("What is it for?");
    await input.press("Enter");
    await panel.messagesOf("main").filter({ hasText: "It names the shop." }).waitFor();
    assert.match(await lastRequest(), /<attached_file path=.{0,3}package\.json/);
  });

  it("the model is informed of what is open, unless the user removes that", async () => {
    const { fake, panel, editor } = session();
    await fake.script(
      turn("What does this file do?", 0, [{ text: "It names the shop." }]),
      turn("And the next one?", 0, [{ text: "No idea which." }]),
    );
    await editor.openFile("package.json");
    await ask(panel, "What does this file do?");
    await panel.messagesOf("main").filter({ hasText: "It names the shop." }).waitFor();
    assert.match(await lastRequest(), /Active file: package\.json, cursor in line 1/);
    const chip = panel.button("Send what the editor shows");
    await chip.click();
    await eventually(async () => assert.equal(await chip.getAttribute("aria-pressed"), "false"));
    await panel.button("New chat").click();
    await editor.openFile("README.md");
    await ask(panel, "And the next one?");
    await panel.messagesOf("main").filter({ hasText: "No idea which." }).waitFor();
    assert.doesNotMatch(await lastRequest(), /Active file:/);
    await chip.click();
    await eventually(async () => assert.equal(await chip.getAttribute("aria-pressed"), "true"));
  });

  it("what is selected is explained", async () => {
    const { fake, panel, editor } = session();
    await fake.script(turn("Explain this code", 0, [{ text: "It is a heading." }]));
    await editor.openFile("README.md");
    await editor.page.locator(".monaco-editor .view-line").first().click();
    await editor.page.keyboard.press("Control+Home");
    await editor.page.keyboard.press("Shift+End");
    await editor.runCommand("Arbor: Explain");
    await panel.messagesOf("main").filter({ hasText: "It is a heading." }).waitFor();
    assert.match(await lastRequest(), /path=.{0,3}README\.md.{0,3} lines=.{0,3}1-1/);
  });

  it("what a terminal shows goes with the question why it failed: what is selected, or the last command", async () => {
    const { fake, panel, editor } = session();
    const { page } = editor;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await fake.script(turn("This failed in the terminal", 0, [{ text: "I see." }]));
    const rows = await openTerminal(page);
    await page.keyboard.type("echo not$((40+2))found\n");
    // The rows are drawn again and again while the shell answers.
    const line = await eventually(
      async () => (await rows.getByText("not42found").last().boundingBox()) ?? assert.fail("No such line."),
    );
    const choose = async (entry: string) => {
      await page.mouse.click(line.x + 20, line.y + 5, { button: "right" });
      await page.getByRole("menuitem", { name: entry }).hover();
      await page.keyboard.press("Enter");
    };
    await choose("Ask Agent About This Failure");
    await panel.messagesOf("main").filter({ hasText: "I see." }).waitFor();
    assert.match(await lastRequest(), /<terminal/);
    await panel.button("New chat").click();
    await page.mouse.dblclick(line.x + 20, line.y + 5);
    await choose("Ask Agent About the Selection");
    await panel.messagesOf("main").filter({ hasText: "I see." }).waitFor();
    const request = await lastRequest();
    assert.match(request, /not42found/);
    assert.doesNotMatch(request, /<terminal/);
  });
});
