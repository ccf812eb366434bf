import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Step } from "../../support/fakeProvider/script.ts";
import { mountSmallDisk, type SmallDisk } from "../disks/smallDisk.ts";
import { eventually } from "../eventually.ts";
import { ask } from "../run.ts";
import { startAfresh, useSession } from "./wire/session.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

/** Asks for one edit of a file, which the model reads first; then it says "Done." */
async function askForEdit(session: ReturnType<ReturnType<typeof useSession>>, steps: readonly Step[][]): Promise<void> {
  await startAfresh(session);
  const replies = [...steps, [{ text: "Done." }]].map((reply, turn) => ({
    when: { lastUser: "Edit it", turn },
    reply: { steps: reply },
  }));
  await session.fake.script(...replies);
  await ask(session.panel, "Edit it.");
}
const read = (file: string): Step => ({ tool: "read_file", arguments: { path: file } });
const edit = (file: string, old_text: string, new_text: string): Step => ({
  tool: "edit_file",
  arguments: { path: file, edits: [{ old_text, new_text }] },
});

const pauseMs = 15;

describe("Accepting an edit", () => {
  let disk: SmallDisk | undefined;
  // Before the workspace is removed.
  after(() => disk?.unmount());
  const session = useSession(
    "anthropic",
    async (workspace) => {
      await writeFile(path.join(workspace, "typed.txt"), numbered(20).join("\n"));
      await mkdir(path.join(workspace, "unwatched"));
      await writeFile(path.join(workspace, "unwatched/stale.txt"), numbered(20).join("\n"));
      await mkdir(path.join(workspace, "tiny"));
      disk = mountSmallDisk(path.join(workspace, "tiny"));
    },
    { "files.watcherExclude": { "**/unwatched/**": true } },
  );
  const fileText = (name: string) => readFile(path.join(session().workspace, name), "utf8");
  const notification = (text: RegExp) =>
    session().editor.page.locator(".notifications-toasts .notification-list-item-message", { hasText: text });
  const accept = (card: string) =>
    session().panel.approval(card).getByRole("button", { name: "Accept", exact: true }).click();
  const isDone = (timeout = 30_000) => session().panel.conversation.getByText("Done.").waitFor({ timeout });

  it("while one types and saves on and on loses neither the edit nor a keystroke", async () => {
    const { editor, panel, fake } = session();
    const { page } = editor;
    await editor.openFile("typed.txt");
    let typed = "";
    for (let round = 1; round <= 8; round++) {
      const before = round === 1 ? "line 5" : `line 5, round ${round - 1}`;
      await askForEdit(session(), [
        [read("typed.txt")],
        [edit("typed.txt", `${before}\n`, `line 5, round ${round}\n`)],
      ]);
      const lens = page.locator(".codelens-decoration a", { hasText: "Accept (" }).first();
      await lens.waitFor();
      await page.locator(".view-line", { hasText: "line 20" }).click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type(` a${round}`);
      await page.keyboard.press("Control+s");
      await page.locator(".tab.dirty").waitFor({ state: "detached" });
      await lens.click();
      // The first key meets another moment of what Arbor does to write the edit each time.
      await page.waitForTimeout(round * pauseMs);
      await page.keyboard.type(` b${round} c${round} d${round}`, { delay: 30 });
      typed += ` a${round} b${round} c${round} d${round}`;
      // A lens that is drawn again at that moment loses the click.
      await isDone(10_000).catch(async () => {
        await accept("edit_file");
        await isDone();
      });
      const request = JSON.stringify((await fake.requests()).at(-1)?.body).replace(/^.*"messages":/, "");
      assert.match(request, /Edited typed\.txt: 1 change \(\+1 −1\)/);
      await page.keyboard.press("Control+s");
      const lines = numbered(20).with(4, `line 5, round ${round}`).join("\n");
      await eventually(async () => assert.equal(await fileText("typed.txt"), lines + typed));
      assert.equal(await panel.approvals.count(), 0);
      assert.equal(await notification(/newer/).count(), 0);
    }
  });

  it("of a file that its editor does not show as it is says that the file is newer, and leaves it", async () => {
    const { editor, workspace } = session();
    await editor.openFile("stale.txt");
    await editor.page.locator(".view-line", { hasText: "line 20" }).waitFor();
    const name = "unwatched/stale.txt";
    const newer = numbered(20).with(15, "by another program").join("\n");
    await askForEdit(session(), [[read(name)], [edit(name, "line 5\n", "line five\n")]]);
    await session().panel.approval("edit_file").waitFor();
    await writeFile(path.join(workspace, name), newer);
    await accept("edit_file");
    await notification(/stale\.txt was not changed: the file on disk is newer than its text in the editor/).waitFor();
    assert.equal(await fileText(name), newer);
    // Shown again it is up to date, and the edit can be accepted as it is.
    await editor.runCommand("File: Revert File");
    await editor.page.locator(".view-line", { hasText: "by another program" }).waitFor();
    await accept("edit_file");
    await isDone();
    assert.equal(await fileText(name), newer.replace("line 5\n", "line five\n"));
  });

  it("on a full disk leaves files as they are and says why; with room it can be accepted again", async () => {
    if (!disk) return;
    const { panel, editor, workspace } = session();
    const page = "0123456789abcde\n".repeat(255);
    await writeFile(path.join(workspace, "tiny/full.txt"), `${page}last\n`);
    const write: Step = { tool: "write_file", arguments: { path: "tiny/deep/new.txt", content: page } };
    await askForEdit(session(), [[read("tiny/full.txt")], [edit("tiny/full.txt", "last\n", `${page}last\n`)], [write]]);
    await panel.approval("edit_file").waitFor();
    await disk.fill();
    await accept("edit_file");
    await notification(/^tiny\/full\.txt was not changed: the disk is full\.$/).waitFor();
    assert.equal(await fileText("tiny/full.txt"), `${page}last\n`);
    await editor.screenshot(path.join(workspace, "..", "full-disk.png"));
    await disk.empty();
    await accept("edit_file");
    await panel.approval("write_file").waitFor();
    assert.equal(await fileText("tiny/full.txt"), `${page}${page}last\n`);
    await disk.fill();
    await accept("write_file");
    await notification(/^tiny\/deep\/new\.txt could not be created: the disk is full\.$/).waitFor();
    assert.ok(!(await readdir(path.join(workspace, "tiny"))).includes("deep"));
    await disk.empty();
    await accept("write_file");
    await isDone();
    assert.equal(await fileText("tiny/deep/new.txt"), page);
  });

  it("in a workspace whose folder was deleted says that it is gone", async () => {
    const { workspace, panel, editor } = session();
    await editor.runCommand("View: Close All Editors");
    await askForEdit(session(), [
      [read("src/format/money.ts")],
      [edit("src/format/money.ts", "export", "// money\nexport")],
    ]);
    await panel.approval("edit_file").waitFor();
    disk?.unmount();
    disk = undefined;
    await rm(workspace, { recursive: true, maxRetries: 5 });
    await accept("edit_file");
    await notification(/^The workspace folder is gone\.$/).waitFor();
    await assert.rejects(readdir(workspace));
    assert.equal(await notification(/unexpected problem/).count(), 0);
  });
});

describe("Undoing all that an agent wrote, with format on save", () => {
  const originals: Record<string, string> = {
    "shown.json": '{"b":1,\n\n   "a" : [1,2,\n3]}',
    "hidden.json": '\uFEFF{ "b" : 1,\r\n"a":[ ]  }\r\n\r\n',
    "code.ts": "export   const x = 1 ;\n\n\n  export const   y=2",
  };
  const session = useSession(
    "anthropic",
    async (workspace) => {
      for (const [name, text] of Object.entries(originals)) await writeFile(path.join(workspace, name), text);
    },
    {
      "arbor.edits.review": "after",
      "editor.formatOnSave": true,
      "files.insertFinalNewline": true,
      "files.trimTrailingWhitespace": true,
    },
    undefined,
    { builtIns: "all" },
  );

  it("brings the bytes of before back, not what the formatter makes of them", async () => {
    const { editor, panel, workspace } = session();
    const pending = panel.frame.getByRole("region", { name: "Pending edits" });
    const bytes = (name: string) => readFile(path.join(workspace, name), "utf8");
    await editor.openFile("code.ts");
    // The formatter has started when it is formatted.
    await editor.openFile("shown.json");
    await askForEdit(session(), [
      Object.keys(originals).map(read),
      [
        edit("shown.json", '"b":1', '"b":100'),
        edit("hidden.json", '"b" : 1', '"b" : 100'),
        edit("code.ts", "y=2", "y=200"),
      ],
    ]);
    await pending.getByText("3 files").waitFor();
    await panel.conversation.getByText("Done.").waitFor();
    assert.match(await bytes("shown.json"), /^\{\n {2,4}"b": 100,\n/);
    await panel.button("Undo all").click();
    await editor.page.locator(".monaco-dialog-box").getByRole("button", { name: "Undo", exact: true }).click();
    await pending.waitFor({ state: "detached" });
    for (const [name, text] of Object.entries(originals)) {
      await eventually(async () => assert.equal(await bytes(name), text, name));
    }
    // The editor shows them too, and has nothing unsaved.
    await editor.page.locator(".view-line", { hasText: '"a" : [1,2,' }).waitFor();
    assert.equal(await editor.page.locator(".tab.dirty").count(), 0);
  });
});
