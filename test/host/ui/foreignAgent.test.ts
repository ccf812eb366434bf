import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { eventually } from "../eventually.ts";
import { runCommandAndChoose } from "../palette.ts";
import { root } from "../places.ts";
import { ask, seeThrough } from "../run.ts";
import { useSession } from "./wire/session.ts";

const agent = path.join(root, "test/support/acpAgent.ts");
const node = path.join(root, "node_modules/node/bin/node");

const claude = "--name=@agentclientprotocol/claude-agent-acp";

describe("An agent of another program, in an editor", () => {
  const session = useSession(
    "anthropic",
    (workspace) => writeFile(path.join(workspace, "a.txt"), "one\ntwo\nthree\n"),
    {
      "arbor.model": "foreign/Tester",
      "arbor.foreignAgents": {
        Tester: { command: node, args: [agent] },
        // As Claude Code: its own tools can be switched off.
        Keeper: { command: node, args: [agent, claude, "--mcp"], guarded: true },
      },
    },
  );
  const file = () => path.join(session().workspace, "a.txt");

  it("is the main agent of a chat: it answers, and its row says that no one supervises it", async () => {
    const { panel, fake } = session();
    await ask(panel, "say hello from elsewhere");
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    await panel.conversation.getByText("hello from elsewhere", { exact: true }).waitFor();
    await panel.tree
      .getByRole("treeitem", { name: /unsupervised/ })
      .first()
      .waitFor();
    assert.deepEqual(await fake.requests(), []);
  });

  it("is asked for what it does, and what it wrote is undone", async () => {
    const { panel, editor } = session();
    await ask(panel, `edit ${file()}`);
    await panel.approvals.first().waitFor();
    assert.equal(await readFile(file(), "utf8"), "one\ntwo\nthree\n");
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    assert.equal(await readFile(file(), "utf8"), "ONE\ntwo\nTHREE\n");
    await panel.button("Undo all").click();
    const dialog = editor.page.locator(".monaco-dialog-box");
    await dialog.getByRole("button", { name: "Undo", exact: true }).click();
    await eventually(async () => assert.equal(await readFile(file(), "utf8"), "one\ntwo\nthree\n"));
  });

  it("has a part of its edit written, and learns what was rejected", async () => {
    const { panel } = session();
    await ask(panel, `edit ${file()}`);
    const card = panel.approvals.first();
    await card.getByRole("button", { name: /^Accept hunk 2/ }).click();
    assert.equal(await readFile(file(), "utf8"), "one\ntwo\nthree\n");
    await card.getByRole("button", { name: "Reject", exact: true }).click();
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    assert.equal(await readFile(file(), "utf8"), "one\ntwo\nTHREE\n");
    await panel.conversation
      .getByText(/user took a part of your edit/)
      .last()
      .waitFor();
  });

  it("has what was written between two of its turns offered when the next one begins", async () => {
    const { panel } = session();
    const late = path.join(session().workspace, "late.txt");
    await ask(panel, `behind-its-back ${late}`);
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    await eventually(async () => assert.equal(await readFile(late, "utf8"), "late\n"));
    await ask(panel, "slow");
    await panel.frame.getByText(/You can keep or undo these changes: late\.txt/).waitFor();
    // It works still.
    await panel.button("Stop").first().click();
    await panel.button("Stop").first().waitFor({ state: "detached" });
    await panel.button("Undo all").click();
    await eventually(() => assert.rejects(readFile(late, "utf8"), { code: "ENOENT" }));
  });

  it("remembers what was said, has its commands in the composer, and stops when it is stopped", async () => {
    const { panel } = session();
    await panel.composer.fill("/comp");
    await panel.frame.getByRole("option", { name: /compact/ }).waitFor();
    await ask(panel, "recall");
    await panel.conversation
      .getByText(/say hello from elsewhere.*\| recall/s)
      .first()
      .waitFor();
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    await ask(panel, "slow");
    await panel.conversation.getByText(/word3/).first().waitFor();
    await panel.button("Stop").first().click();
    await panel.button("Stop").first().waitFor({ state: "detached" });
  });

  it("that is guarded says so, and what it wants to write is reviewed before, by our tool", async () => {
    const { panel, editor } = session();
    await panel.button("New chat").click();
    await runCommandAndChoose(editor.page, "Arbor: Select Model", "Keeper");
    await panel.chosenModel.filter({ hasText: "Keeper" }).waitFor({ state: "attached" });
    await ask(panel, `tool write_file ${JSON.stringify({ path: "b.txt", content: "new\n" })}`);
    await panel.approvals.first().waitFor();
    await panel.tree
      .getByRole("treeitem", { name: /guarded/ })
      .first()
      .waitFor();
    await assert.rejects(readFile(path.join(session().workspace, "b.txt")), { code: "ENOENT" });
    assert.deepEqual(await seeThrough(panel, "all"), { ok: true });
    assert.equal(await readFile(path.join(session().workspace, "b.txt"), "utf8"), "new\n");
    await panel.conversation.getByText(/^yes \[/).waitFor();
  });
});
