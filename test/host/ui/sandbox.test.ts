import assert from "node:assert/strict";
import { access, chmod, copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { machineProbe } from "../../extension/sandbox/support.ts";
import type { Step } from "../../support/fakeProvider/script.ts";
import { runCommand } from "../palette.ts";
import { root } from "../places.ts";
import { ask, seeThrough } from "../run.ts";
import { turn } from "./scripted.ts";
import { type Session, startAfresh, useSession } from "./wire/session.ts";

const run = (command: string, more: Record<string, unknown> = {}): Step => ({
  tool: "run_command",
  arguments: { command, ...more },
});

const secret = "sk-0815";
const prepare = (workspace: string) => writeFile(path.join(workspace, ".env"), `TOKEN=${secret}\n`);

/** What the model was sent last. */
const sentLast = async ({ fake }: Session) => JSON.stringify((await fake.requests()).at(-1)?.body);

describe("Commands in the sandbox, in an editor", () => {
  before(async function () {
    if (!(await machineProbe()).isAvailable) return this.skip();
  });
  const session = useSession("anthropic", prepare);
  const inWorkspace = (file: string) => path.join(session().workspace, file);
  beforeEach(() => startAfresh(session()));

  it("need one answer for the workspace, and another for each that is to run outside", async () => {
    const { fake, panel } = session();
    const hostile = "cat .env; echo evil > package.json; echo made > made.txt";
    await fake.script(
      turn("Try it", 0, [run(hostile)]),
      turn("Try it", 1, [run("echo more >> made.txt; exit 3")]),
      turn("Try it", 2, [run("touch ../outside.txt", { outside_sandbox: true })]),
      turn("Try it", 3, [{ text: "All tried." }]),
      turn("Once more", 0, [run("echo again > again.txt")]),
      turn("Once more", 1, [{ text: "Asked." }]),
    );
    const before = await readFile(inWorkspace("package.json"), "utf8");
    await ask(panel, "Try it");
    const card = panel.approval(`run_command ${hostile}`);
    await card.getByText("in the sandbox: it can change files of this workspace only").waitFor();
    await card.getByRole("button", { name: "More answers" }).click();
    await card.getByRole("menuitem", { name: "All sandboxed commands in this workspace" }).click();
    // The second one runs by that answer; the third one is none of those.
    const outside = panel.approval("run_command touch ../outside.txt");
    await outside.getByText("outside the sandbox, with all your rights").waitFor();
    assert.equal(await readFile(inWorkspace("made.txt"), "utf8"), "made\nmore\n");
    assert.deepEqual(await seeThrough(panel, "none"), { ok: true });
    assert.equal(await readFile(inWorkspace("package.json"), "utf8"), before);
    await assert.rejects(access(inWorkspace("../outside.txt")));
    const sent = await sentLast(session());
    assert.match(sent, /Exit code 0 after \d+\.\d s, in the sandbox\./);
    assert.match(sent, /cat: \.env: Permission denied/);
    assert.match(sent, /package\.json: Read-only file system/);
    assert.match(sent, /Exit code 3 after \d+\.\d s, in the sandbox\./);
    assert.ok(!sent.includes(secret), "a secret went to the model");
    await panel.button("Allowed without asking: 1").click();
    await panel.button("Remove Sandboxed commands").click();
    await panel.frame.getByRole("region", { name: "Allowed without asking" }).waitFor({ state: "detached" });
    await ask(panel, "Once more");
    await panel.approval("run_command echo again").waitFor();
    assert.deepEqual(await seeThrough(panel, "none"), { ok: true });
  });

  it("need no question where edits need none", async () => {
    const { fake, panel } = session();
    await fake.script(
      turn("Just do it", 0, [run("echo unasked > unasked.txt")]),
      turn("Just do it", 1, [{ text: "It is done." }]),
    );
    const mode = panel.frame.getByRole("combobox", { name: "Mode", exact: true });
    await mode.click();
    await mode.getByRole("option", { name: "Auto-edit", exact: true }).click();
    await ask(panel, "Just do it");
    await panel.messagesOf("main").filter({ hasText: "It is done." }).waitFor();
    assert.equal(await readFile(inWorkspace("unasked.txt"), "utf8"), "unasked\n");
    assert.match(await sentLast(session()), /in the sandbox/);
  });
});

describe("An MCP server of the workspace, in an editor", () => {
  before(async function () {
    if (!(await machineProbe()).isAvailable) return this.skip();
  });
  const session = useSession("anthropic", async (workspace) => {
    await prepare(workspace);
    await copyFile(path.join(root, "test/extension/mcp/support/curiousServer.ts"), path.join(workspace, "curious.ts"));
    const server = {
      command: path.join(root, "node_modules/node/bin/node"),
      args: [`\${workspaceFolder}/curious.ts`],
    };
    await mkdir(path.join(workspace, ".vscode"), { recursive: true });
    await writeFile(path.join(workspace, ".vscode/mcp.json"), JSON.stringify({ servers: { curious: server } }));
  });

  it("is started in the sandbox once that is answered, and the list of servers says where it runs", async () => {
    const { fake, panel, editor, workspace } = session();
    const call = (tool: string, args: object): Step => ({ tool: `curious__${tool}`, arguments: args });
    await fake.script(
      turn("Use it", 0, [call("read", { path: path.join(workspace, ".env") })]),
      turn("Use it", 1, [call("write", { path: path.join(workspace, "by-server.txt"), text: "written by it" })]),
      turn("Use it", 2, [call("write", { path: path.join(workspace, "../outside.txt"), text: "escaped" })]),
      turn("Use it", 3, [{ text: "It was used." }]),
    );
    await ask(panel, "Use it");
    const dialog = editor.page.locator(".monaco-dialog-box");
    await dialog.getByText("sees no keys or passwords, and reaches no host").waitFor();
    await dialog
      .getByText(/curious\.ts/)
      .first()
      .waitFor();
    await dialog.getByRole("button", { name: "Start in Sandbox", exact: true }).click();
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    const sent = await sentLast(session());
    assert.match(sent, /EACCES: permission denied/);
    assert.ok(!sent.includes(secret), "a secret went to the model");
    assert.equal(await readFile(path.join(workspace, "by-server.txt"), "utf8"), "written by it");
    await assert.rejects(access(path.join(workspace, "../outside.txt")));
    await runCommand(editor.page, "Arbor: MCP Servers");
    const row = editor.page.locator(".quick-input-list .monaco-list-row", { hasText: "curious" });
    await row.getByText("running, tools: 4 · sandboxed").waitFor();
    await row.click();
    await editor.page.locator(".quick-input-list .monaco-list-row", { hasText: "Start outside the sandbox" }).click();
    await dialog.getByText("It runs on this machine with your rights.").waitFor();
    await dialog.getByRole("button", { name: "Start", exact: true }).click();
    await runCommand(editor.page, "Arbor: MCP Servers");
    await row.getByText("not sandboxed: sandboxEnabled is not set").waitFor();
    await editor.page.keyboard.press("Escape");
  });
});

describe("Commands where no sandbox works, in an editor", () => {
  const session = useSession("anthropic", prepare, { "arbor.permissions.mode": "auto-edit" }, async (home) => {
    const programs = path.join(home, "programs");
    await mkdir(programs);
    await writeFile(
      path.join(programs, "bwrap"),
      "#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n",
    );
    await chmod(path.join(programs, "bwrap"), 0o755);
    return { PATH: `${programs}:${process.env.PATH}` };
  });

  it("are asked for as before, and the reason is said once", async () => {
    const { fake, panel } = session();
    await startAfresh(session());
    await fake.script(
      turn("Run one", 0, [run("echo one > one.txt; cat one.txt")]),
      turn("Run one", 1, [{ text: "One ran." }]),
      turn("Run two", 0, [run("echo two > two.txt; cat two.txt")]),
      turn("Run two", 1, [{ text: "Two ran." }]),
    );
    const notice = panel.frame.getByText("Commands can't run in a sandbox here");
    await ask(panel, "Run one");
    await panel.approval("run_command echo one").waitFor();
    assert.match(await notice.innerText(), /No permissions to create a new namespace/);
    assert.equal(await panel.approval("run_command echo one").getByText("sandbox").count(), 0);
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    assert.match(await sentLast(session()), /Exit code 0 after \d+\.\d s\.\\none/);
    await ask(panel, "Run two");
    await panel.approval("run_command echo two").waitFor();
    assert.equal(await notice.count(), 0);
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
  });
});

describe("Commands with the sandbox switched off, in an editor", () => {
  const settings = { "arbor.permissions.mode": "auto-edit", "arbor.commands.sandbox": "off" };
  const session = useSession("anthropic", prepare, settings);

  it("are asked for each time, run with all rights, and nothing is said of a sandbox", async () => {
    const { fake, panel, workspace } = session();
    await startAfresh(session());
    await fake.script(
      turn("Run it", 0, [run("echo one > one.txt")]),
      turn("Run it", 1, [run("echo two > ../two.txt; cat ../two.txt", { outside_sandbox: true })]),
      turn("Run it", 2, [{ text: "It ran." }]),
    );
    await ask(panel, "Run it");
    const card = panel.approval("run_command echo one");
    await card.waitFor();
    assert.equal(await card.getByText("sandbox").count(), 0);
    await assert.rejects(access(path.join(workspace, "one.txt")));
    await card.getByRole("button", { name: "Run", exact: true }).click();
    await panel.approval("run_command echo two").waitFor();
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    assert.equal(await readFile(path.join(workspace, "one.txt"), "utf8"), "one\n");
    assert.equal(await readFile(path.join(workspace, "../two.txt"), "utf8"), "two\n");
    assert.equal(await panel.frame.getByText("Commands can't run in a sandbox here").count(), 0);
    const results = (await fake.requests()).map(({ body }) => JSON.stringify(body)).join("\n");
    assert.match(results, /Exit code 0 after \d+\.\d s\.\\ntwo/);
    assert.doesNotMatch(results, /\d s, in the sandbox/);
  });
});
