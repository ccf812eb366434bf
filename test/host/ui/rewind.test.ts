import assert from "node:assert/strict";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Step } from "../../support/fakeProvider/script.ts";
import type { FakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import type { Editor } from "../editor.ts";
import { eventually } from "../eventually.ts";
import { ask, seeThrough } from "../run.ts";
import { textsIn } from "../textsIn.ts";
import { turn } from "./scripted.ts";
import { hostOf, sessionFile } from "./sessionFile.ts";
import { useSession } from "./wire/session.ts";

const edit = (from: string, to: string): Step => ({
  tool: "edit_file",
  arguments: { path: "README.md", edits: [{ old_text: from, new_text: to }] },
});

/** The unsaved texts that the editor would bring back after a reload. */
async function backupsOf({ home }: Editor): Promise<string[]> {
  const folder = path.join(home, "user/User/Backups");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe("A rewind to a message", () => {
  const session = useSession("anthropic", undefined, { "arbor.edits.review": "off" });
  let fake: FakeProvider;
  let editor: Editor;
  let shop: string;
  before(() => {
    ({ fake, editor, workspace: shop } = session());
  });

  it("gives files and conversation back as they were before it, and can be undone", async () => {
    const { panel, page } = editor;
    const texts = () => textsIn(shop);
    const said = panel.messagesOf("You");
    const rewindTo = async (index: number) => {
      await said.nth(index).hover();
      await said.nth(index).getByRole("button", { name: "Rewind to here" }).click();
      await page.locator(".monaco-dialog-box").getByRole("button", { name: "Rewind", exact: true }).click();
    };
    const become = (files: Map<string, string>, messages: number) =>
      eventually(async () => {
        assert.deepEqual(await texts(), files);
        assert.equal(await said.count(), messages);
      });
    await fake.script(
      turn("First", 0, [{ tool: "read_file", arguments: { path: "README.md" } }]),
      turn("First", 1, [
        edit("# Corner shop", "# Corner store"),
        { tool: "write_file", arguments: { path: "docs/new.md", content: "New.\n" } },
      ]),
      turn("First", 2, [{ text: "One." }]),
      turn("Second", 0, [
        edit("# Corner store", "# Corner market"),
        { tool: "delete_file", arguments: { path: "docs/new.md" } },
      ]),
      turn("Second", 1, [{ text: "Two." }]),
    );
    const original = await texts();
    await editor.openPanel();
    await ask(panel, "First");
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    const first = await texts();
    assert.match(first.get("README.md") ?? "", /^# Corner store\n/);
    await ask(panel, "Second");
    await panel.conversation.getByText("Two.").waitFor();
    await panel.stop.waitFor({ state: "detached" });
    const second = await texts();
    assert.ok(!second.has("docs/new.md"));

    await rewindTo(1);
    await become(first, 1);
    await panel.button("Undo rewind").click();
    await become(second, 2);
    await rewindTo(0);
    await become(original, 0);
    await panel.button("Undo rewind").click();
    await become(second, 2);
  });

  it("leaves what the user changed since, names what gives way, and is undone after a message and a reload", async () => {
    const { panel, page } = editor;
    const file = (name: string) => path.join(shop, name);
    const exists = (name: string) =>
      stat(file(name)).then(
        () => true,
        () => false,
      );
    const modeOf = async (name: string) => (await stat(file(name))).mode & 0o777;
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`);
    const text = (changed: Record<number, string>) =>
      lines.map((line, index) => `${changed[index + 1] ?? line}\n`).join("");
    await writeFile(file("list.txt"), text({}));
    await writeFile(file("tool.sh"), "true\n");
    await chmod(file("tool.sh"), 0o755);
    await mkdir(file("logs"));
    const command = "chmod 644 tool.sh && rmdir logs && mkdir spare";
    await fake.script(
      turn("Tidy up", 0, [{ tool: "read_file", arguments: { path: "list.txt" } }]),
      turn("Tidy up", 1, [
        {
          tool: "edit_file",
          arguments: {
            path: "list.txt",
            edits: [
              { old_text: "line 3\n", new_text: "three\n" },
              { old_text: "line 9\n", new_text: "nine\n" },
            ],
          },
        },
        { tool: "write_file", arguments: { path: "made/deep/new.md", content: "New.\n" } },
        { tool: "run_command", arguments: { command } },
      ]),
      turn("Tidy up", 2, [{ text: "Tidied." }]),
      turn("And then", 0, [{ text: "Nothing." }]),
    );
    const typeAtEndOf = async (line: string, words: string) => {
      await page.locator(".view-line").getByText(line, { exact: true }).click();
      await page.keyboard.press("End");
      await page.keyboard.insertText(words);
    };
    const said = panel.messagesOf("You");
    const before = await said.count();
    await ask(panel, "Tidy up");
    await panel
      .approval("run_command")
      .getByRole("button", { name: /^(?:Accept|Run)$/ })
      .click();
    await panel.conversation.getByText("Tidied.").waitFor();
    await panel.stop.waitFor({ state: "detached" });
    await eventually(async () => assert.equal(await modeOf("tool.sh"), 0o644));

    await editor.openFile("list.txt");
    await typeAtEndOf("line 6", " saved");
    await page.keyboard.press("Control+s");
    const saved = text({ 3: "three", 6: "line 6 saved", 9: "nine" });
    await eventually(async () => assert.equal(await readFile(file("list.txt"), "utf8"), saved));
    await typeAtEndOf("nine", " and mine");
    await typeAtEndOf("line 12", " unsaved");
    await eventually(async () => assert.equal((await backupsOf(editor)).length, 1));

    await said.nth(before).hover();
    await said.nth(before).getByRole("button", { name: "Rewind to here" }).click();
    const dialog = page.locator(".monaco-dialog-box");
    await dialog.getByText("list.txt: line 9 that you changed").waitFor();
    const question = await dialog.innerText();
    for (const name of ["list.txt", "made/deep/new.md", "made/", "tool.sh", "logs/", "spare/"]) {
      assert.ok(question.includes(`\n${name}\n`), `${name} is not in: ${question}`);
    }
    await dialog.getByRole("button", { name: "Rewind", exact: true }).click();
    await eventually(async () => {
      assert.equal(await readFile(file("list.txt"), "utf8"), text({ 6: "line 6 saved" }));
      assert.deepEqual(await Promise.all(["made", "logs", "spare"].map(exists)), [false, true, false]);
      assert.equal(await modeOf("tool.sh"), 0o755);
      assert.equal(await said.count(), before);
    });
    await page.locator(".view-line").getByText("line 12 unsaved", { exact: true }).waitFor();
    await page.locator(".view-line").getByText("line 9", { exact: true }).waitFor();
    // The message is to be written again: what is typed before it is there would be sent behind it.
    await eventually(async () => assert.equal(await panel.composer.inputValue(), "Tidy up"));

    await ask(panel, "And then");
    await panel.conversation.getByText("Nothing.").waitFor();
    await panel.stop.waitFor({ state: "detached" });
    await typeAtEndOf("line 1", " later");
    await page.keyboard.press("Control+s");
    const later = text({ 1: "line 1 later", 6: "line 6 saved", 12: "line 12 unsaved" });
    await eventually(async () => assert.equal(await readFile(file("list.txt"), "utf8"), later));
    // Until the editor knows that it is saved, and has removed its backup, it would bring the text back that was unsaved before.
    await page.locator(".tab.dirty").waitFor({ state: "detached" });
    await eventually(async () => assert.deepEqual(await backupsOf(editor), []));
    await editor.reload();
    await editor.openPanel();
    await panel.button("Undo rewind").click();
    const undone = { 1: "line 1 later", 3: "three", 6: "line 6 saved", 9: "nine and mine", 12: "line 12 unsaved" };
    await eventually(async () => {
      assert.equal(await readFile(file("list.txt"), "utf8"), text(undone));
      assert.deepEqual(await Promise.all(["made/deep/new.md", "logs", "spare"].map(exists)), [true, false, true]);
      assert.equal(await modeOf("tool.sh"), 0o644);
    });
    await eventually(async () =>
      assert.deepEqual(
        (await said.allInnerTexts()).slice(before).map((words) => words.trim()),
        ["Tidy up", "And then"],
      ),
    );
    assert.equal(await panel.button("Undo rewind").count(), 0);
  });

  it("that the end of the extension host cuts off names the files that it reached, and can be undone", async () => {
    const { panel, page } = editor;
    const names = Array.from({ length: 150 }, (_, index) => `${100 + index}.txt`);
    const there = async () => (await readdir(path.join(shop, "many")).catch(() => [])).toSorted();
    const command = "mkdir many && for name in $(seq 100 249); do echo $name > many/$name.txt; done";
    await fake.script(
      turn("Make many", 0, [{ tool: "run_command", arguments: { command } }]),
      turn("Make many", 1, [{ text: "Made." }]),
    );
    await ask(panel, "Make many");
    await panel
      .approval("run_command")
      .getByRole("button", { name: /^(?:Accept|Run)$/ })
      .click();
    await panel.conversation.getByText("Made.").waitFor();
    await panel.stop.waitFor({ state: "detached" });
    assert.deepEqual(await there(), names);
    const host = await hostOf(await sessionFile(editor, "Make many"));

    const asked = panel.messagesOf("You").last();
    await asked.hover();
    await asked.getByRole("button", { name: "Rewind to here" }).click();
    await page.locator(".monaco-dialog-box").getByRole("button", { name: "Rewind", exact: true }).click();
    while ((await there()).length === names.length) await new Promise((resolve) => setImmediate(resolve));
    process.kill(host, "SIGKILL");
    await editor.reload();
    const left = await there();
    assert.ok(left.length > 0 && left.length < names.length, `${left.length} files are left`);
    await editor.openPanel();
    const note = panel.frame.getByRole("note", { name: "Rewind", exact: true });
    await note.getByText("A rewind was interrupted when the editor ended.").waitFor();
    const reached = names.filter((name) => !left.includes(name)).length;
    const words = await note.innerText();
    assert.match(words, new RegExp(`Restored: (?:many/\\d+\\.txt, ){${Math.min(reached, 5) - 1}}many/\\d+\\.txt`));
    assert.match(words, /Not restored: many\/\d+\.txt, .* and \d+ more\./);
    await panel.conversation.getByText("Made.").waitFor();
    await panel.button("Undo rewind").click();
    await eventually(async () => assert.deepEqual(await there(), names));
    await note.waitFor({ state: "detached" });
  });
});
