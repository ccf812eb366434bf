import assert from "node:assert/strict";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import os from "node:os";
import path from "node:path";
import { identifyWorkspace } from "../../../src/extension/storage/workspaceKey.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import { type LoopbackProxy, startLoopbackProxy } from "../../support/loopbackProxy.ts";
import type { Editor } from "../editor.ts";
import { eventually } from "../eventually.ts";
import { root, sampleWorkspace } from "../places.ts";
import { ask, seeThrough } from "../run.ts";
import { openSharedEditor } from "../sharedEditor.ts";
import { pictureFailures } from "./pictureFailures.ts";
import { editStep, turn } from "./scripted.ts";

const key = "sk-ant-api03-0123456789-official-key";

/** The package as users get it, from an update to the end of the walkthrough. No one outside can be reached. */
describe("The installed package, from the first minute", () => {
  let fake: FakeProvider;
  let outside: LoopbackProxy;
  let home: string;
  let editor: Editor;

  before(async () => {
    fake = await startFakeProvider();
    outside = await startLoopbackProxy(fake.url);
    home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
    const workspace = path.join(home, "corner-shop");
    await cp(sampleWorkspace, workspace, { recursive: true });
    const money = path.join(workspace, "src/format/money.ts");
    // As the chats of the earlier version left it.
    await writeFile(money, (await readFile(money, "utf8")).replace("  // TODO: group thousands\n", ""));
    const folder = { scheme: "file", fsPath: workspace };
    const { key: workspaceKey } = identifyWorkspace({ folders: [folder] }, realpathSync.native);
    const earlier = path.join(root, "test/fixtures/version-0.1.0");
    const proxies = { http_proxy: outside.url, https_proxy: outside.url, no_proxy: "127.0.0.1,localhost" };
    editor = await openSharedEditor({
      ...{ workspace, isInstalled: true, width: 480, env: proxies },
      // What replaces the provider's own address.
      settings: { "arbor.providers": { anthropic: { baseUrl: `${fake.url}/official` } } },
      prepare: (userDataDir) =>
        cp(earlier, path.join(userDataDir, "User/globalStorage/arbor.arbor-agent/workspaces", workspaceKey), {
          recursive: true,
        }),
    });
  });
  after(async () => {
    await editor?.close();
    await outside?.stop();
    await fake?.stop();
    await rm(home, { recursive: true, force: true });
  });
  pictureFailures(() => editor);

  it("is where no other machine can be reached, also by what ignores proxies", async () => {
    if (process.env.ARBOR_OFFLINE !== "1") return console.log("    Not blocked here; npm test does it with bubblewrap");
    const socket = connect({ host: "192.0.2.1", port: 443 });
    const [error] = await once(socket, "error");
    assert.equal(error.code, "ENETUNREACH");
  });

  const step = (id: string) => editor.page.locator(`.getting-started-step[data-step-id$="#${id}"]`).first();
  const isDone = (id: string) => editor.page.locator(`[data-done-step-id$="#${id}"][aria-checked="true"]`).first();
  const press = (name: string) =>
    editor.page.locator(".gettingStartedContainer").getByRole("button", { name, exact: true }).click();

  async function startNew(): Promise<void> {
    await fake.reset();
    await editor.panel.button("New chat").click();
    await editor.panel.messages.first().waitFor({ state: "detached" });
  }

  it("finds what an earlier version left: the edit that waits, the text that was not sent, and all chats", async () => {
    const { panel } = editor;
    await panel.approval("edit_file README.md").waitFor();
    assert.equal(await panel.composer.inputValue(), "and then, in the morning,");
    await panel.button("History").click();
    const chats = panel.frame.getByRole("list", { name: "Chats" });
    for (const title of ["Remove the note in money.ts", "Look from two sides", "Say what the readme says"])
      await chats.getByText(title).waitFor();
    await chats.getByText("Look from two sides").click();
    await panel.messagesOf("main").filter({ hasText: "Two files and one test." }).waitFor();
    assert.equal(await panel.rows.count(), 3);
  });

  it("shows the demo at work with one click in the walkthrough", async () => {
    await editor.runCommand("Arbor: Get Started");
    await step("see").waitFor();
    for (const id of ["see", "connect", "review", "steer"]) assert.equal(await isDone(id).count(), 0, id);
    const startedAt = performance.now();
    await press("Try the Demo");
    await editor.panel.messagesOf("main").filter({ hasText: "Most likely in" }).waitFor();
    assert.equal(await editor.panel.rows.count(), 4);
    console.log(`      demo: 1 step, ${((performance.now() - startedAt) / 1000).toFixed(1)} s to the first answer`);
    await isDone("see").waitFor();
  });

  it("gives the first answer of a model after three steps and one pasted key", async () => {
    const { page, panel } = editor;
    await step("connect").click();
    const startedAt = performance.now();
    await press("Connect a Model");
    await page.locator(".quick-input-widget input").waitFor();
    await page.keyboard.insertText(key);
    await panel.chosenModel.filter({ hasText: "Claude Opus 5.5" }).waitFor({ state: "attached" });
    await startNew();
    await fake.script({ steps: [{ text: "The TODO is done." }] });
    await panel.button("Do the TODO in cart.ts:17").click();
    await panel.messagesOf("main").filter({ hasText: "The TODO is done." }).waitFor();
    console.log(`      model: 3 steps, ${((performance.now() - startedAt) / 1000).toFixed(1)} s to the first answer`);
    const [request] = await fake.requests();
    assert.equal(request?.headers["x-api-key"], key);
    assert.match(JSON.stringify(request?.body), /Do what the comment in src\/cart\/cart\.ts:17 says/);
    await isDone("connect").waitFor();
  });

  it("comes to the end of the walkthrough with an edit that is reviewed and a branch that is steered", async () => {
    const { panel, page } = editor;
    await startNew();
    await fake.script(
      turn("Change it", 0, [{ tool: "read_file", arguments: { path: "docs/discounts.md" } }]),
      turn("Change it", 1, [editStep("docs/discounts.md", ["# ", "# All "])]),
      turn("Change it", 2, [{ text: "Changed." }]),
      turn("Survey", 0, [{ tool: "delegate_to_agent", arguments: { agent: "explore", task: "Look", context: "" } }]),
      turn("Look", 0, [{ text: "I look. " }, { gate: "looking" }, { tool: "list_files", arguments: {} }]),
      turn("Look", 1, [{ text: "Nothing." }]),
      turn("Turn left", 0, [{ text: "Turned." }]),
      turn("Survey", 1, [{ text: "Surveyed." }]),
    );
    await ask(panel, "Change it");
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    await panel.button("New chat").click();
    await panel.messages.first().waitFor({ state: "detached" });
    await ask(panel, "Survey");
    await fake.reached("looking");
    await panel.row("explore").hover();
    await panel.button("Message explore").click();
    await panel.frame.getByRole("textbox", { name: /^Message .+…$/ }).fill("Turn left");
    await page.keyboard.press("Enter");
    await fake.release("looking");
    await panel.messagesOf("main").filter({ hasText: "Surveyed." }).waitFor();
    await editor.runCommand("Arbor: Get Started");
    for (const id of ["see", "connect", "review", "steer"]) await isDone(id).waitFor();
  });

  it("is in order, says the doctor, in a report without the key; and no one outside was asked", async () => {
    const { page } = editor;
    await editor.runCommand("Arbor: Doctor");
    await page.getByRole("tab", { name: /Arbor Doctor/ }).waitFor();
    const shown = page.locator(".editor-instance .view-lines").last();
    const report = await eventually(async () => {
      const text = (await shown.innerText()).replaceAll("\u00a0", " ");
      assert.match(text, /answers and accepts the key\. Models: 1\./);
      return text;
    });
    for (const title of ["Model", "Anthropic", "ripgrep", "git", "Sandbox", "Shell", "Trust", "Storage", "Settings"])
      assert.match(report, new RegExp(`^[✓!✗–] ${title}$`, "m"));
    assert.match(report, /^ {3}ripgrep \d+/m);
    assert.doesNotMatch(report, /official-key/);
    await page.getByText("Copy Report").first().waitFor();
    assert.deepEqual(outside.asked, []);
  });

  it("takes its settings along in a file, and asks before it overwrites them", async () => {
    const { page, panel } = editor;
    const file = path.join(home, "corner-shop/arbor-settings.json");
    const dialogOfFiles = page.locator(".quick-input-widget");
    await editor.runCommand("Arbor: Export Settings…");
    await dialogOfFiles.getByRole("button", { name: "OK", exact: true }).click();
    const { text, exported } = await eventually(async () => {
      const text = await readFile(file, "utf8");
      return { text, exported: JSON.parse(text) };
    });
    assert.equal(exported.settings["arbor.model"], "anthropic/claude-opus-5-5");
    assert.doesNotMatch(text, /official-key/);
    const changed = { ...exported, settings: { ...exported.settings, "arbor.model": "demo/demo" } };
    await writeFile(file, JSON.stringify(changed));
    await editor.runCommand("Arbor: Import Settings…");
    await dialogOfFiles.locator(".monaco-list-row", { hasText: "arbor-settings.json" }).click();
    const dialog = page.locator(".monaco-dialog-box");
    await dialog.getByText("Replaces your values of: arbor.model").waitFor();
    assert.match(await panel.chosenModel.innerText(), /Claude Opus 5\.5/);
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
    await panel.chosenModel.filter({ hasText: "Demo" }).waitFor({ state: "attached" });
  });
});
