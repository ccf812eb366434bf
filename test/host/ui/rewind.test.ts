import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Rule, Step } from "../../support/fakeProvider/script.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fakeProvider/startFakeProvider.ts";
import { type Editor, openEditor } from "../editor.ts";
import { eventually } from "../eventually.ts";
import { sampleWorkspace } from "../places.ts";
import { ask, seeThrough } from "../run.ts";
import { textsIn } from "../textsIn.ts";
import { fakeModelSettings, keyEnvironment } from "./fakeModel.ts";
import { pictureFailures } from "./pictureFailures.ts";

const turn = (question: string, index: number, steps: Step[]): Rule => ({
  when: { lastUser: question, turn: index },
  reply: { steps },
});
const edit = (from: string, to: string): Step => ({
  tool: "edit_file",
  arguments: { path: "README.md", edits: [{ old_text: from, new_text: to }] },
});

describe("A rewind to a message", () => {
  let fake: FakeProvider;
  let editor: Editor;
  let home: string;
  pictureFailures(() => editor);

  before(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
    await cp(sampleWorkspace, path.join(home, "shop"), { recursive: true });
    fake = await startFakeProvider();
    editor = await openEditor({
      workspace: path.join(home, "shop"),
      settings: { ...fakeModelSettings(fake, "anthropic"), "arbor.edits.review": "off" },
      env: keyEnvironment,
      width: 480,
    });
  });
  after(async () => {
    await editor.close();
    await fake.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });

  it("gives files and conversation back as they were before it, and can be undone", async () => {
    const { panel, page } = editor;
    const texts = () => textsIn(path.join(home, "shop"));
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
});
