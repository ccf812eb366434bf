import assert from "node:assert/strict";
import { once } from "node:events";
import { access, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { readProcesses } from "../../../src/extension/terminal/processTable.ts";
import { eventually } from "../eventually.ts";
import { arborPanel } from "../panel.ts";
import { ask, seeThrough } from "../run.ts";
import { textsIn } from "../textsIn.ts";
import { keyEnvironment } from "./fakeModel.ts";
import { turn } from "./scripted.ts";
import { startAfresh, useSession } from "./wire/session.ts";

describe("Commands and pages, in an editor", () => {
  // Their processes are looked for by numbers that they have outside a sandbox.
  const session = useSession("anthropic", undefined, { "arbor.commands.sandbox": "off" });
  let pages: Server;
  before(async () => {
    pages = createServer((_request, response) => {
      response
        .writeHead(200, { "content-type": "text/html" })
        .end("<title>Prices</title><h1>All</h1><p>of <b>them</b>");
    }).listen(0, "127.0.0.1");
    await once(pages, "listening");
  });
  beforeEach(() => startAfresh(session()));
  after(() => {
    pages.close();
  });

  const inWorkspace = (file: string) => path.join(session().workspace, file);
  const lastRequest = async () => JSON.stringify((await session().fake.requests()).at(-1)?.body);

  it("a command runs once it is accepted, in the workspace and without the provider's key", async () => {
    const { fake, panel } = session();
    const command = "pwd; env; echo made > made.txt; exit 3";
    await fake.script(
      turn("Make it", 0, [{ tool: "run_command", arguments: { command } }]),
      turn("Make it", 1, [{ text: "Made." }]),
    );
    await ask(panel, "Make it");
    await panel.approval(`run_command ${command}`).waitFor();
    await assert.rejects(access(inWorkspace("made.txt")));
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    assert.equal(await readFile(inWorkspace("made.txt"), "utf8"), "made\n");
    const request = await lastRequest();
    assert.match(request, /Exit code 3 after/);
    assert.ok(request.includes(session().workspace), "the command ran elsewhere");
    for (const key of Object.values(keyEnvironment))
      assert.ok(!request.includes(`=${key}`), "the key is in the output");
  });

  it("a command is changed before it runs, and the model learns of it", async () => {
    const { fake, panel } = session();
    await fake.script(
      turn("Write it", 0, [{ tool: "run_command", arguments: { command: "echo asked > asked.txt" } }]),
      turn("Write it", 1, [{ text: "Written." }]),
    );
    await ask(panel, "Write it");
    const card = panel.approval("run_command");
    await card.getByRole("button", { name: "Edit command", exact: true }).click();
    await card.getByRole("textbox", { name: "Command to run", exact: true }).fill("echo mine > mine.txt");
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    assert.equal(await readFile(inWorkspace("mine.txt"), "utf8"), "mine\n");
    await assert.rejects(access(inWorkspace("asked.txt")));
    assert.match(await lastRequest(), /The user changed the command before it ran\. This ran:\\necho mine > mine\.txt/);
    await panel.conversation.getByRole("group", { name: "Run command echo mine > mine.txt" }).waitFor();
  });

  it("a command that is rejected does not run, and the model learns why", async () => {
    const { fake, panel } = session();
    await fake.script(
      turn("Remove it", 0, [{ tool: "run_command", arguments: { command: "echo x > removed.txt" } }]),
      turn("Remove it", 1, [{ text: "Then not." }]),
    );
    await ask(panel, "Remove it");
    const card = panel.approval("run_command");
    await card.getByRole("textbox", { name: "Reject with feedback…" }).fill("keep it");
    await card.getByRole("button", { name: "Reject", exact: true }).click();
    assert.deepEqual(await seeThrough(panel, "none"), { ok: true });
    await assert.rejects(access(inWorkspace("removed.txt")));
    assert.match(await lastRequest(), /The user declined saying: \\"keep it\\"/);
  });

  it("a command's output opens in a terminal among the editors, and the focus stays in the panel", async () => {
    const { fake, panel, editor } = session();
    await fake.script(
      turn("Count", 0, [{ tool: "run_command", arguments: { command: "echo counted $((6 * 7))" } }]),
      turn("Count", 1, [{ text: "Counted." }]),
    );
    await ask(panel, "Count");
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    await panel.conversation.getByRole("button", { name: /echo counted/ }).click();
    await panel.button("Show in terminal").click();
    await editor.page.getByRole("tab", { name: /echo counted/ }).waitFor();
    const terminal = editor.page.locator(".terminal-editor .xterm-rows");
    await terminal.getByText("counted 42").waitFor();
    await terminal.getByText("Exit code 0 after").waitFor();
    // As text, for the types of pages are not known here.
    assert.equal(await panel.frame.locator("body").evaluate("document.hasFocus()"), true);
  });

  it("what a command changed goes back with a rewind, which can be undone", async () => {
    const { fake, panel, editor, workspace } = session();
    const command = "echo more >> README.md; rm package.json; echo new > docs/new.txt";
    await fake.script(
      turn("Change it", 0, [{ tool: "run_command", arguments: { command } }]),
      turn("Change it", 1, [{ text: "Changed." }]),
    );
    const before = await textsIn(workspace);
    await ask(panel, "Change it");
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    const after = await textsIn(workspace);
    assert.notDeepEqual(after, before);
    await panel.messagesOf("You").hover();
    await panel.button("Rewind to here").click();
    const dialog = editor.page.locator(".monaco-dialog-box");
    await dialog.getByText("README.md").waitFor();
    assert.equal(await dialog.getByText("can't be restored").count(), 0);
    await dialog.getByRole("button", { name: "Rewind", exact: true }).click();
    await eventually(async () => assert.deepEqual(await textsIn(workspace), before));
    await panel.button("Undo rewind").click();
    await eventually(async () => assert.deepEqual(await textsIn(workspace), after));
  });

  it("a stop ends all that a command started", async () => {
    const { fake, panel } = session();
    const command = "setsid bash -c 'trap \"\" TERM; echo $$ > pid.txt; while :; do sleep 1000; done' & wait";
    await fake.script(turn("Serve", 0, [{ tool: "run_command", arguments: { command } }]));
    await ask(panel, "Serve");
    await panel.approval("run_command").getByRole("button", { name: "Run", exact: true }).click();
    const pid = await eventually(async () => {
      const text = await readFile(inWorkspace("pid.txt"), "utf8");
      assert.match(text, /^\d+\n$/);
      return Number(text);
    });
    await panel.stop.click();
    await eventually(async () => assert.ok(!readProcesses().some((row) => row.pid === pid)));
  });

  describe("in the background", () => {
    // It ignores what asks it to end, in a session of its own.
    const serve = (file: string) =>
      `setsid bash -c 'trap "" TERM; echo $$ > ${file}; echo serving; while :; do sleep 1000; done' & wait`;
    const list = () => session().panel.frame.getByRole("region", { name: "Running commands" });
    const card = (file: string) =>
      session().panel.conversation.getByRole("group", { name: new RegExp(`Run command.*${file}`) });

    async function start(question: string, file: string): Promise<number> {
      const { fake, panel } = session();
      await fake.script(
        turn(question, 0, [{ tool: "run_command", arguments: { command: serve(file), background: true } }]),
        turn(question, 1, [{ text: "It runs." }]),
        turn("How is it?", 0, [{ tool: "read_output", arguments: { id: "command-1" } }]),
        turn("How is it?", 1, [{ text: "Ended." }]),
      );
      await ask(panel, question);
      await panel.approval("run_command").getByRole("button", { name: "Run", exact: true }).click();
      await panel.conversation.getByText("It runs.").waitFor();
      return eventually(async () => {
        const text = await readFile(inWorkspace(file), "utf8");
        assert.match(text, /^\d+\n$/);
        return Number(text);
      });
    }
    const isRunning = (pid: number) => readProcesses().some((row) => row.pid === pid);

    it("one is shown as running until the user stops it, with all that it started, and the model learns of it", async () => {
      const { panel, editor } = session();
      const pid = await start("Serve it", "one.txt");
      assert.match(await list().innerText(), /one\.txt.*main/s);
      assert.equal(await card("one.txt").getAttribute("data-status"), "running");
      await list()
        .getByRole("button", { name: /^Show output of/ })
        .click();
      await editor.page.locator(".terminal-editor .xterm-rows").getByText("serving").waitFor();
      await list().getByRole("button", { name: /^Stop/ }).click();
      await eventually(async () => assert.ok(!isRunning(pid)));
      await list().waitFor({ state: "detached" });
      await card("one.txt").getByText("stopped by you").waitFor();
      await ask(panel, "How is it?");
      await panel.conversation.getByText("Ended.").waitFor();
      assert.match(await lastRequest(), /Stopped by the user, with all it had started/);
    });

    it("one is shown in a new chat too, and ends when its own is deleted", async () => {
      const { panel } = session();
      const pid = await start("Serve two", "two.txt");
      await panel.button("New chat").click();
      await list().getByText("main, in Serve two").waitFor();
      assert.ok(isRunning(pid));
      await panel.button("History").click();
      const chats = panel.frame.getByRole("list", { name: "Chats" });
      const item = chats.getByRole("listitem").filter({ hasText: "Serve two" });
      await item.hover();
      await item.getByRole("button", { name: "Delete" }).click();
      await eventually(async () => assert.ok(!isRunning(pid)));
      await item.waitFor({ state: "detached" });
      await panel.button("New chat").click();
      await list().waitFor({ state: "detached" });
    });

    it("one ends when the tab of its chat is closed", async () => {
      const { editor } = session();
      const pid = await start("Serve three", "three.txt");
      await editor.runCommand("Arbor: Open Chat in Editor");
      await arborPanel(editor.page, "tab").conversation.getByText("It runs.").waitFor();
      await arborPanel(editor.page, "view").button("New chat").click();
      await arborPanel(editor.page, "view").messages.first().waitFor({ state: "detached" });
      assert.ok(isRunning(pid));
      await editor.page.getByRole("tab", { name: /Serve three/ }).click();
      await editor.runCommand("View: Close Editor");
      await eventually(async () => assert.ok(!isRunning(pid)));
    });

    it("one ends with a reload, after which nothing is shown as running", async () => {
      const { editor } = session();
      const pid = await start("Serve four", "four.txt");
      await editor.reload();
      await eventually(async () => assert.ok(!isRunning(pid)));
      await editor.openPanel();
      await card("four.txt").getByText("ended with the chat").waitFor();
      assert.equal(await list().count(), 0);
    });
  });

  it("a page is fetched once its host is accepted, and read as markdown", async () => {
    const { fake, panel } = session();
    // A server that listens on a port has an address of this kind.
    const url = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/prices`;
    await fake.script(
      turn("Look it up", 0, [{ tool: "fetch_url", arguments: { url } }]),
      turn("Look it up", 1, [{ text: "Seen." }]),
    );
    await ask(panel, "Look it up");
    await panel.approval(`fetch_url ${url}`).getByText("this machine or in a network of its own").waitFor();
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    assert.match(await lastRequest(), /Title: Prices\\n\\n# All\\n\\nof \*\*them\*\*/);
  });
});
