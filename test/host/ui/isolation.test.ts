import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { eventually } from "../eventually.ts";
import { ask } from "../run.ts";
import { editStep, readStep, turn } from "./scripted.ts";
import { startAfresh, useSession } from "./wire/session.ts";

const receipt = "src/orders/receipt.ts";
const width = "const width = 48;";
const git = async (folder: string, ...args: string[]) =>
  (await promisify(execFile)("git", ["-c", "user.name=U", "-c", "user.email=u@example.com", ...args], { cwd: folder }))
    .stdout;

describe("Isolation, comparison, graft", () => {
  const session = useSession("anthropic", async (workspace) => {
    await git(workspace, "init", "--quiet");
    await git(workspace, "add", "-A");
    await git(workspace, "commit", "--quiet", "-m", "First");
  });

  it("has an agent work in a worktree, its task done again twice, and one of the runs used", async () => {
    const { fake, panel, workspace } = session();
    const { frame } = panel;
    const textNow = () => readFile(path.join(workspace, receipt), "utf8");
    const before = await textNow();
    const task = { agent: "edit", title: "Widen the receipt", task: "Widen it", context: "", isolation: "worktree" };
    await fake.script(
      turn("Have it widened", 0, [{ tool: "delegate_to_agent", arguments: task }]),
      turn("Have it widened", 1, [{ text: "It is wider." }]),
      turn("Widen it", 0, [readStep(receipt)]),
      turn("Widen it", 1, [editStep(receipt, [width, "const width = 60;"])]),
      turn("Widen it", 2, [{ text: "Widened." }]),
      turn("Make it narrow", 0, [readStep(receipt)]),
      turn("Make it narrow", 1, [editStep(receipt, [width, "const width = 20;"])]),
      turn("Make it narrow", 2, [{ tool: "run_command", arguments: { command: "test -f package.json" } }]),
      turn("Make it narrow", 3, [{ text: "It is narrow." }]),
      turn("And now?", 0, [{ text: "Understood." }]),
    );
    await ask(panel, "Have it widened");
    const card = panel.approvals.first();
    await card.getByText("const width = 60;").waitFor();
    assert.equal(await textNow(), before);
    await frame.getByRole("treeitem", { name: /Widen the receipt.*Isolated/ }).waitFor();
    await card.getByRole("button", { name: "Reject", exact: true }).click();
    await panel.conversation.getByText("It is wider.").waitFor();
    assert.equal(await textNow(), before);

    await frame.getByRole("button", { name: "Details of Widen the receipt", exact: true }).click();
    const details = frame.getByRole("group", { name: "Details of Widen the receipt", exact: true });
    await details.getByRole("link", { name: "Run again…", exact: true }).click();
    await details.getByRole("textbox", { name: "Task" }).fill("Make it narrow");
    await details.getByRole("button", { name: "Run again", exact: true }).click();
    await details.getByRole("link", { name: "Compare", exact: true }).click();
    const compare = frame.getByRole("region", { name: "Compare", exact: true });
    for (const name of ["Run 1", "Run 2"]) {
      const run = compare.getByRole("group", { name, exact: true });
      // Where there is no sandbox, each command is asked for.
      await eventually(async () => {
        const allow = frame.getByRole("button", { name: "Run", exact: true });
        if ((await allow.count()) > 0) await allow.first().click();
        await run.getByText("exit code 0").waitFor({ timeout: 3_000 });
      });
      await run.getByText("It is narrow.").waitFor();
    }
    assert.equal(await textNow(), before);
    assert.equal((await git(workspace, "worktree", "list")).trim().split("\n").length, 1);
    assert.equal(await git(workspace, "status", "--porcelain"), "");

    await compare
      .getByRole("group", { name: "Run 2", exact: true })
      .getByRole("button", { name: "Use this one" })
      .click();
    await card.getByRole("button", { name: "Accept", exact: true }).click();
    await eventually(async () => assert.ok((await textNow()).includes("const width = 20;")));
    await compare.getByText("used", { exact: true }).waitFor();
    await compare.getByRole("button", { name: "Close Compare" }).click();
    await ask(panel, "And now?");
    await panel.conversation.getByText("Understood.").waitFor();
    const heard = JSON.stringify((await fake.requests()).at(-1)?.body);
    assert.match(heard, /The user compared several runs and chose run 2 of 2/);
  });

  it("goes on with a comparison that the end of the editor cut off, with what each run had changed", async () => {
    const { fake, panel, workspace, editor } = session();
    await startAfresh(session());
    const { frame } = panel;
    const textNow = () => readFile(path.join(workspace, receipt), "utf8");
    const before = await textNow();
    const [widthNow = ""] = /const width = \d+;/.exec(before) ?? [];
    const worktrees = async () => (await git(workspace, "worktree", "list")).trim().split("\n").length;
    const task = { agent: "edit", title: "Measure the receipt", task: "Measure it", context: "" };
    await fake.script(
      turn("Have it measured", 0, [{ tool: "delegate_to_agent", arguments: task }]),
      turn("Measure it", 0, [{ text: "Measured." }]),
      turn("Have it measured", 1, [{ text: "It is measured." }]),
      turn("Make it short", 0, [readStep(receipt)]),
      turn("Make it short", 1, [editStep(receipt, [widthNow, "const width = 30;"])]),
      { ...turn("Make it short", 2, [{ text: "It is short." }]), times: 1 },
      turn("Make it short", 2, [{ gate: "late" }, { text: "It is late." }]),
    );
    await ask(panel, "Have it measured");
    await panel.conversation.getByText("It is measured.").waitFor();
    const title = "Details of Measure the receipt";
    const details = frame.getByRole("group", { name: title, exact: true });
    const openComparison = async () => {
      if ((await details.count()) === 0) {
        await frame.getByRole("button", { name: title, exact: true }).first().click();
      }
      await details.getByRole("link", { name: "Compare", exact: true }).click();
    };
    await frame.getByRole("button", { name: title, exact: true }).first().click();
    await details.getByRole("link", { name: "Run again…", exact: true }).click();
    await details.getByRole("textbox", { name: "Task" }).fill("Make it short");
    await details.getByRole("button", { name: "Run again", exact: true }).click();
    await openComparison();
    const compare = frame.getByRole("region", { name: "Compare", exact: true });
    await compare.getByText("It is short.").waitFor();
    await fake.reached("late");
    assert.equal(await worktrees(), 2);

    await editor.crash("host");
    await editor.openPanel();
    await panel.problems.filter({ hasText: "This run was interrupted" }).waitFor();
    await eventually(async () => assert.equal(await worktrees(), 1));
    assert.equal(await textNow(), before);
    await openComparison();
    await compare.getByText("It is short.").waitFor();
    await compare.getByText("interrupted", { exact: true }).waitFor();
    await compare.getByText("done", { exact: true }).waitFor();
    await panel.button("Resume").click();
    await fake.reached("late", 2);
    await fake.release("late");
    const late = compare.getByRole("group", { name: /^Run / }).filter({ hasText: "It is late." });
    await late.getByText("done", { exact: true }).waitFor();
    assert.equal(await textNow(), before);
    await late.getByRole("button", { name: "Use this one" }).click();
    await panel.approvals.first().getByRole("button", { name: "Accept", exact: true }).click();
    await eventually(async () => assert.equal(await textNow(), before.replace(widthNow, "const width = 30;")));
  });
});
